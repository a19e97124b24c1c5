import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { toMicroseconds } from './timestamps.ts';

/**
 * The integrity hash of a ledger row: SHA-256 of the canonical JSON array of the table name and the columns in the
 * order of docs/row-hashes.md. Times are in UTC with six fractional digits, and 64-bit integers are strings.
 */
export function rowHash(table: string, columns: readonly unknown[]): Buffer {
  return hash('sha256', canonicalJson([table, ...columns]), 'buffer');
}

/** Formats an instant for a row hash. */
export function hashedInstant(text: string): string {
  const instant = toMicroseconds(text);
  if (instant === undefined) throw new TypeError(`"${text}" is not an instant.`);
  return instant;
}
