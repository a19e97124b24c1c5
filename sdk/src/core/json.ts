const INTEGER = /^-?[1-9]\d*$/;

/** Numbers of 16 or more characters. Only an integer of 16 or more digits can be beyond 2^53. */
const LONG_NUMBERS = /[-+.\deE]{16,}/g;

/** The server refuses NUL characters in texts, so no text of an answer begins with one. */
const MARK = '\u0000';

/** Parses JSON. Integers that a number cannot hold exactly become a bigint. */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  let isInString = false;
  // A regular expression for whole strings would exceed its stack with a long one.
  const parts = text.split('"').map((part) => {
    if (isInString) {
      isInString = endsInEscape(part);
      return part;
    }
    isInString = true;
    return part.replace(LONG_NUMBERS, markIfUnsafe);
  });
  return JSON.parse(parts.join('"'), (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(1)) : value,
  );
}

function markIfUnsafe(number: string): string {
  return INTEGER.test(number) && !Number.isSafeInteger(Number(number)) ? `"\\u0000${number}"` : number;
}

/** Whether the quote after this part belongs to the string. */
function endsInEscape(part: string): boolean {
  let backslashes = 0;
  while (part.at(-1 - backslashes) === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** Writes JSON. A bigint becomes a text of digits, which the API accepts for 64-bit integers. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

/** Throws a RangeError if a number is not a safe integer. */
export function requireSafe(name: string, value: unknown): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`${name} must be a safe integer, not ${value}. Pass a larger integer as a bigint.`);
}
