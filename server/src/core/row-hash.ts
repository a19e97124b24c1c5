import { toMicroseconds } from './timestamps.ts';

/** A row that failed verification. */
export interface AlteredRow {
  table: string;
  tenantId: string;
  id: string;
  /** The predicate of a sentence whose subject is the row. Absent if the hash of the row does not match its columns. */
  problem?: string;
}

/** Formats an instant for a row hash (docs/row-hashes.md): in UTC with six fractional digits. */
export function hashedInstant(text: string): string {
  const instant = toMicroseconds(text);
  if (instant === undefined) throw new TypeError(`"${text}" is not an instant.`);
  return instant;
}
