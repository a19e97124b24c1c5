import { randomBytes } from 'node:crypto';

/** The length of a text in Unicode code points, not in UTF-16 code units. */
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

/** The beginning of a text: at most `most` code points. */
export function firstCodePoints(text: string, most: number): string {
  if (text.length <= most) return text;
  // A code point takes at most two UTF-16 units.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}

/**
 * Compares well-formed texts by their code points. This is the order of their UTF-8 bytes, in which PostgreSQL (collation C) and DuckDB
 * sort. `<` compares UTF-16 code units, and so puts an emoji (U+1F600) before a half-width letter (U+FF71).
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++)
    if (a.charCodeAt(index) !== b.charCodeAt(index)) return a.codePointAt(index)! - b.codePointAt(index)!;
  return a.length - b.length;
}

/** Whether PostgreSQL can store a text: it contains no NUL and no unpaired surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether a JSON value is a text that PostgreSQL cannot store, or an object with a member of such a name. */
export function isUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return !isStorable(value);
  return value !== null && typeof value === 'object' && !Object.keys(value).every(isStorable);
}

/**
 * The path of the first value in a JSON value for which `isWrong` is true, such as `['players', '0', 'name']`. The path of the whole value
 * is empty. Undefined if there is no such value.
 */
export function findInJson(value: unknown, isWrong: (value: unknown) => boolean): string[] | undefined {
  if (isWrong(value)) return [];
  if (value === null || typeof value !== 'object') return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = findInJson(member, isWrong);
    if (path) return [name, ...path];
  }
  return undefined;
}

/** Whether a JSON value has at most this many levels of arrays and objects. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  return levels > 0 && Object.values(value).every((item) => isNestedWithin(item, levels - 1));
}

/** Normalizes a key: trims it, collapses inner white space to one space, and applies Unicode NFC. See docs/definitions.md. */
export function normaliseKey(text: string): string {
  // Most keys are ASCII words in normal form. This test is six times faster than the normalization.
  return /^[!-~]+$/.test(text) ? text : text.normalize('NFC').trim().replace(/\s+/g, ' ');
}

/**
 * Converts a name into a slug for URLs: lower-case ASCII words joined by hyphens. Returns `fallback` if nothing is
 * left.
 */
export function slugify(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 48)
    .replace(/-$/, '');
  return slug || fallback;
}

/**
 * Yields slugs for a name until the caller finds a free one: first the plain slug, then numbered slugs, then random
 * ones.
 */
export function* slugCandidates(name: string, fallback: string): Generator<string, never> {
  const slug = slugify(name, fallback);
  yield slug;
  for (let number = 2; number < 10; number++) yield `${slug}-${number}`;
  for (;;) yield `${slug}-${randomBytes(4).toString('hex')}`;
}
