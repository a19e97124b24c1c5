import type { AlteredRow } from '../../../core/row-hash.ts';
import type { Database } from '../../../database/database.ts';
import { listBatches } from '../chain/index.ts';
import { findEntriesWithoutTransaction } from './queries.ts';
import { alteredEntry } from './verify-ledger.ts';

/**
 * Reports each entry that was enqueued for a chain but no longer names its transaction. Such an entry looks like one that was
 * recorded without a chain. Checks one tenant, or all.
 */
export async function verifyEnqueued(
  database: Database,
  tenantId: string | undefined,
  report: (row: AlteredRow) => void,
): Promise<void> {
  for await (const batches of listBatches(database)) {
    const wanted = batches.filter((batch) => tenantId === undefined || batch.tenantId === tenantId);
    for (const [owner, own] of Map.groupBy(wanted, (batch) => batch.tenantId)) {
      const indices = own.flatMap(({ first, hashes }) => hashes.map((_, place) => first + place));
      for (const index of await findEntriesWithoutTransaction(database.forTenant(owner), owner, indices))
        report(alteredEntry(owner, index, 'does not name its transaction on the chain'));
    }
  }
}
