const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/**
 * The digits of a signed 64-bit integer that came in JSON: a number, the bigint or the text that its parser made of one too
 * long for a number, or a text of digits. Undefined for anything else: a number beyond 2^53 in another notation has lost some.
 */
export function int64Digits(value: unknown): string | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : undefined;
  if (typeof value === 'string' && !/^-?\d{1,32}$/.test(value)) return undefined;
  if (typeof value !== 'string' && typeof value !== 'bigint') return undefined;
  const integer = BigInt(value);
  return integer >= SMALLEST && integer <= LARGEST ? integer.toString() : undefined;
}
