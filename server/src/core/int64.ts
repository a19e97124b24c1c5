const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/**
 * Returns the digits of a signed 64-bit integer from JSON. The value may be a number or a string of digits. Returns
 * undefined for anything else. A number beyond 2^53 has lost digits, so it is rejected.
 */
export function int64Digits(value: unknown): string | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,32}$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer >= MIN && integer <= MAX ? integer.toString() : undefined;
}
