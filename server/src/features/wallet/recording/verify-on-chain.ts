import { inChunks } from '../../../core/in-chunks.ts';
import type { Verification } from '../../../core/verification.ts';
import type { Database } from '../../../database/database.ts';
import { filterConfirmed, findLastEnqueued, readAppended, readClock, type Chain } from '../chain/index.ts';
import { findEntryHashes, listEnqueuedEntries } from './queries.ts';
import { alteredEntry } from './verify-ledger.ts';

const CHUNK = 2_000;

/**
 * Compares a tenant's entries with the chain. Each entry on the chain must be the one in the database, and each final entry of
 * the database must be on the chain.
 */
export async function verifyOnChain(
  database: Database,
  chain: Chain,
  { tenantId, report }: Verification,
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  const { writer } = chain;
  if ((await findLastEnqueued(tenant, tenantId, writer)) === 0) return;
  const found = (index: number, problem: string) => report(alteredEntry(tenantId, index, problem));

  // Entries that become final later may be missing in the blocks that are read here.
  const since = await readClock(database);
  const ranges: { first: number; last: number }[] = [];
  for await (const appended of readAppended(database, chain, tenantId)) {
    const here = await findEntryHashes(
      tenant,
      tenantId,
      appended.map(({ index }) => index),
    );
    for (const { index, hash } of appended) {
      const own = here.get(index);
      if (own === undefined) found(index, 'is on the chain, but not in the database');
      else if (own !== hash) found(index, 'differs from the entry on the chain');
      const range = ranges.at(-1);
      if (range?.last === index - 1) range.last = index;
      else ranges.push({ first: index, last: index });
    }
  }

  const chunks = inChunks(CHUNK, (last?: { index: number }) =>
    listEnqueuedEntries(tenant, tenantId, last?.index ?? 0, CHUNK),
  );
  for await (const enqueued of chunks) {
    const missing = enqueued.filter(
      ({ index }) => !ranges.some(({ first, last }) => first <= index && index <= last),
    );
    const confirmed = await filterConfirmed(
      database,
      writer,
      missing.map(({ transactionHash }) => transactionHash),
      since,
    );
    for (const { index, transactionHash } of missing)
      if (confirmed.has(transactionHash)) found(index, 'was final, but is not on the chain');
  }
}
