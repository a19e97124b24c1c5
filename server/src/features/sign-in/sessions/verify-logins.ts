import { inChunks } from '../../../core/in-chunks.ts';
import type { Database } from '../../../database/database.ts';
import type { AlteredRow } from '../../../core/row-hash.ts';
import { rangeInUtc, type OpenRange } from '../../../core/time-range.ts';
import { loginRowHash } from './login-row-hash.ts';
import { selectHashedLogins, type LedgerPosition } from './queries.ts';

const CHUNK = 5_000;

/**
 * Recomputes the hashes of a tenant's login ledger, and reports each row that does not match. Calls `onRows` with the number of rows of each
 * part that it has checked.
 */
export async function verifyLogins(
  database: Database,
  tenantId: string,
  range: OpenRange,
  report: (row: AlteredRow) => void,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  const chunks = inChunks(CHUNK, (last?: LedgerPosition) =>
    selectHashedLogins(tenant, tenantId, rangeInUtc(range), last, CHUNK),
  );
  for await (const rows of chunks) {
    for (const row of rows) {
      if (!loginRowHash({ ...row, tenantId }).equals(row.rowHash))
        report({ table: 'login_ledger', tenantId, id: row.id });
    }
    onRows(rows.length);
  }
}
