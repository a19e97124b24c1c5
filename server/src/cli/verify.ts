import { openDatabase } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { openChain, type ChainSettings } from '../features/wallet/chain/index.ts';
import { verifyEvents, type AlteredRow } from '../features/gameplay/events/index.ts';
import { verifyLogins } from '../features/sign-in/sessions/index.ts';
import { verifyEnqueued, verifyLedger, verifyOnChain } from '../features/wallet/recording/index.ts';

export interface VerifyRange {
  tenantId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Recomputes the row hashes of every ledger and event in a range (of the time of occurrence for events, of receipt for
 * ledgers), of one tenant or all, walks the chains of the wallet ledgers, and reports each row that is not as it was written. Of a
 * deployment that records on an EVM chain it also compares the two, unless it looks at a range.
 * Returns the number of rows read.
 */
export async function verify(
  databaseUrl: string,
  range: VerifyRange,
  report: (row: AlteredRow) => void,
  settings?: ChainSettings,
): Promise<number> {
  const database = openDatabase(databaseUrl, { poolSize: 2, work: 'job' });
  try {
    const tenants = range.tenantId
      ? [{ id: range.tenantId }]
      : await database.forPlatform().rows<{ id: string }>(sql`SELECT id FROM tenants ORDER BY id`);
    let count = 0;
    for (const { id } of tenants) {
      count += await verifyLogins(database, id, range, report);
      for (const scope of ['match', 'player'] as const)
        count += await verifyEvents(database, id, { ...range, scope }, report);
      count += await verifyLedger(database, id, range, report);
    }
    const isWhole = range.from === undefined && range.to === undefined;
    if (!isWhole) return count;
    await verifyEnqueued(database, range.tenantId, report);
    // At the end, as a node that gives no answer ends it.
    const chain = settings && (await openChain(database, settings));
    if (chain) for (const { id } of tenants) await verifyOnChain(database, chain, id, report);
    return count;
  } finally {
    await database.close();
  }
}
