import { inChunks } from './in-chunks.ts';
import type { AlteredRow } from './row-hash.ts';
import type { OpenRange } from './time-range.ts';

/** The rows of a tenant to verify, and the receiver of the results. */
export interface Verification {
  tenantId: string;
  range: OpenRange;
  report: (row: AlteredRow) => void;
  /** Is called with the number of rows of each part that was checked. */
  onRows: (rows: number) => void;
}

const CHUNK = 5_000;

/** Reads the rows of a table, and reports each row that does not match its hash. */
export async function verifyRows<Row extends { id: string }>(
  { tenantId, report, onRows }: Verification,
  table: string,
  read: (limit: number, last?: Row) => Promise<Row[]>,
  matchesItsHash: (row: Row) => boolean,
): Promise<void> {
  for await (const rows of inChunks(CHUNK, (last?: Row) => read(CHUNK, last))) {
    for (const row of rows) if (!matchesItsHash(row)) report({ table, tenantId, id: row.id });
    onRows(rows.length);
  }
}
