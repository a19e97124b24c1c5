const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** More digits than a signed 64-bit integer can have. A number such as 1e999999999 must not become a text of all its digits. */
const MAX_DIGITS = 32;

/**
 * Returns the digits of the integer that a JSON number denotes in any notation, such as 1.5e3 or 12.0. `JSON.parse` would round an
 * integer beyond 2^53, and a fraction next to an integer. Returns undefined for a fraction, for more than 32 digits, and for a
 * text that is no number.
 */
export function digitsOfNumber(number: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number);
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const zeros = digits.length - end + Number(exponent) - fraction.length;
  if (zeros < 0 || end + zeros > MAX_DIGITS) return undefined;
  return sign + digits.slice(0, end) + '0'.repeat(zeros);
}

/**
 * Returns the digits of a signed 64-bit integer from JSON. The value may be a number or a string of digits. Returns
 * undefined for anything else. A number beyond 2^53 has lost digits, so it is rejected.
 */
export function int64Digits(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,32}$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer >= MIN && integer <= MAX ? integer.toString() : undefined;
}
