import type { Database } from '../../../database/database.ts';
import { listBatches } from '../chain/index.ts';
import { findUnsealed } from './queries.ts';
import { ENTRIES, type LedgerProblem } from './verify-ledger.ts';

/**
 * Reports each entry that was handed over to a chain and names no transaction there any more: by itself it looks like one that
 * was recorded without a chain. Of one tenant, or of all.
 */
export async function verifyEnqueued(
  database: Database,
  tenantId: string | undefined,
  report: (problem: LedgerProblem) => void,
): Promise<void> {
  for await (const batches of listBatches(database)) {
    const wanted = batches.filter((batch) => tenantId === undefined || batch.tenantId === tenantId);
    for (const [owner, own] of Map.groupBy(wanted, (batch) => batch.tenantId)) {
      const indices = own.flatMap(({ first, hashes }) => hashes.map((_, place) => first + place));
      for (const index of await findUnsealed(database.forTenant(owner), owner, indices))
        report({
          table: ENTRIES,
          tenantId: owner,
          id: String(index),
          problem: 'does not tell its transaction on the chain',
        });
    }
  }
}
