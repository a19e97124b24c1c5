const INTEGER = /^-?[1-9]\d*$/;

/** Strings and numbers of a JSON text. Strings are matched too, so that digits in them are left alone. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The server refuses NUL characters in texts, so no text of an answer begins with one. */
const MARK = '\u0000';

/** Parses JSON. Integers that a number cannot hold exactly become a bigint. */
export function parseJson(text: string): unknown {
  // Only an integer of 16 or more digits can be beyond 2^53.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKENS, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"\\u0000${token}"` : token,
  );
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(1)) : value,
  );
}

/** Writes JSON. A bigint becomes a text of digits, which the API accepts for 64-bit integers. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}
