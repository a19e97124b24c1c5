/** Secrets that were sent or received, by kind. */
export type Secrets = Map<string, Set<string>>;

/** Kinds of secrets that can be recognized in any text. */
const FORMS: [kind: string, form: RegExp][] = [
  ['opaque token', /gh_[a-z]+_[0-9a-f]{72}/g],
  ['JWT', /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g],
  ['webhook secret', /whsec_[\w+/=]{20,}/g],
  ['Mock credential', /mock:[0-9a-f]{12}:\w+/g],
];

/** Members of JSON whose values are secrets. */
const MEMBERS: [kind: string, names: RegExp][] = [
  ['password', /^(\w*[pP]assword)$/],
  ['one-time code', /^(code)$/],
  ['second factor', /^(secret|recoveryCodes?|otpauthUrl)$/],
  ['provider key', /^(webApiKey)$/],
];

/** Codes in mails stand alone in an indented line. */
const MAILED = /^ {4}(\d{6})$/gm;

/** Adds the secrets of a request or response to those that are known. */
export function collectSecrets(secrets: Secrets, text: string): void {
  const add = (kind: string, value: string) => {
    const known = secrets.get(kind) ?? new Set();
    secrets.set(kind, known.add(value));
  };
  for (const [kind, form] of FORMS) for (const [value] of text.matchAll(form)) add(kind, value);
  const walk = (value: unknown, name = ''): void => {
    if (typeof value === 'string') {
      for (const [kind, names] of MEMBERS) if (names.test(name) && value.length >= 6) add(kind, value);
      for (const [, code = ''] of value.matchAll(MAILED)) add('one-time code', code);
    } else if (Array.isArray(value)) value.forEach((item) => walk(item, name));
    else if (value !== null && typeof value === 'object')
      for (const [member, item] of Object.entries(value)) walk(item, member);
  };
  try {
    walk(JSON.parse(text));
  } catch {
    // It is not JSON.
  }
}

/** The secrets that lines contain: as they are, or as the hexadecimal digits or the Base64 of their bytes. */
export function findSecrets(secrets: Secrets, lines: Iterable<string>): string[] {
  const needles = [...secrets].flatMap(([kind, values]) =>
    [...values].flatMap((value): [string, string, RegExp | undefined][] => {
      // Six digits may be part of a time or of a hash, so they count only as a word of their own.
      if (/^\d{6}$/.test(value)) return [[kind, value, new RegExp(`(?<![\\w.:+-])${value}(?![\\w.:+-])`)]];
      const bytes = Buffer.from(value);
      return [value, bytes.toString('hex'), bytes.toString('base64')].map((needle) => [
        kind,
        needle,
        undefined,
      ]);
    }),
  );
  const found: string[] = [];
  for (const line of lines)
    for (const [kind, needle, form] of needles)
      if (line.includes(needle) && (!form || form.test(line))) found.push(`${kind} in ${line.slice(0, 200)}`);
  return found;
}
