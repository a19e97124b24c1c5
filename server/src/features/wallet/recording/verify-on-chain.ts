import type { Database } from '../../../database/database.ts';
import { confirmedAmong, lastEnqueued, readAppended, readClock, type Chain } from '../chain/index.ts';
import { findEntryHashes, listSealed } from './queries.ts';
import { ENTRIES, type LedgerProblem } from './verify-ledger.ts';

const CHUNK = 2_000;

/**
 * Compares a tenant's entries with the chain: each entry there must be the one of the database, and what the database holds for
 * final must be there. Returns how many entries the chain has.
 */
export async function verifyOnChain(
  database: Database,
  chain: Chain,
  tenantId: string,
  report: (problem: LedgerProblem) => void,
): Promise<number> {
  const tenant = database.forTenant(tenantId);
  const { writer } = chain;
  if ((await lastEnqueued(tenant, tenantId, writer)) === 0) return 0;
  const found = (index: number, problem: string) =>
    report({ table: ENTRIES, tenantId, id: String(index), problem });

  // What becomes final while we read is no news of the blocks that we read.
  const since = await readClock(database);
  const ranges: { first: number; last: number }[] = [];
  let count = 0;
  for await (const appended of readAppended(database, chain, tenantId)) {
    const here = await findEntryHashes(
      tenant,
      tenantId,
      appended.map(({ index }) => index),
    );
    for (const { index, hash } of appended) {
      const own = here.get(index);
      if (own === undefined) found(index, 'is on the chain, and not in the database');
      else if (own !== hash) found(index, 'is another one on the chain');
      const range = ranges.at(-1);
      if (range?.last === index - 1) range.last = index;
      else ranges.push({ first: index, last: index });
    }
    count += appended.length;
  }

  for (let after = 0; ;) {
    const sealed = await listSealed(tenant, tenantId, after, CHUNK);
    const missing = sealed.filter(
      ({ index }) => !ranges.some(({ first, last }) => first <= index && index <= last),
    );
    const confirmed = await confirmedAmong(
      database,
      writer.id,
      missing.map(({ transactionHash }) => transactionHash),
      since,
    );
    for (const { index, transactionHash } of missing)
      if (confirmed.has(transactionHash)) found(index, 'was final, and is not on the chain');
    if (sealed.length < CHUNK) return count;
    after = sealed.at(-1)!.index;
  }
}
