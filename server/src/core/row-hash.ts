import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { toMicroseconds } from './timestamps.ts';

/**
 * The integrity hash of a ledger row: SHA-256 over the canonical JSON array of the table's name and the row's columns
 * in their documented order (docs/row-hashes.md). Times are in UTC with six fractional digits, 64-bit integers are texts.
 */
export function rowHash(table: string, columns: readonly unknown[]): Buffer {
  return hash('sha256', canonicalJson([table, ...columns]), 'buffer');
}

/** A stored or accepted instant as row hashes write it. */
export function hashedInstant(text: string): string {
  const instant = toMicroseconds(text);
  if (instant === undefined) throw new TypeError(`"${text}" is not an instant.`);
  return instant;
}
