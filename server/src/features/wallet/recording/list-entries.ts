import type { Database } from '../../../database/database.ts';
import { GENESIS_HASH, type Head } from './ledger-entry.ts';
import { findHead, selectEntries, type EntryFilter } from './queries.ts';
import { toShownEntry, type ShownEntry } from './read-ledger.ts';

/** No index serves the filters, so that recording stays fast. A page reads at most this many entries (15 ms). */
const SEARCHED_ENTRIES = 10_000;

export interface EntryPage {
  items: ShownEntry[];
  head: Head;
  hasMore: boolean;
  nextCursor?: number;
}

/**
 * Lists the entries of a tenant's ledger in the order of their indices. With a filter, a page may have fewer items than
 * `limit`, and still have a next page.
 */
export async function listLedgerEntries(
  database: Database,
  tenantId: string,
  { limit, cursor, ...filter }: EntryFilter & { cursor?: number; limit: number },
): Promise<EntryPage> {
  const tenant = database.heavy.forTenant(tenantId);
  const head = (await findHead(tenant, tenantId)) ?? { index: 0, hash: GENESIS_HASH };
  const isOldest = filter.order === 'oldest';
  const first = isOldest ? (cursor ?? 0) + 1 : Math.max(1, (cursor ?? head.index + 1) - SEARCHED_ENTRIES);
  const last = isOldest ? first + SEARCHED_ENTRIES - 1 : (cursor ?? head.index + 1) - 1;
  const found = await selectEntries(tenant, tenantId, { ...filter, first, last }, limit);
  const items = found.map(toShownEntry);

  const end = found.length === limit ? found.at(-1)!.index : isOldest ? last : first;
  const hasMore = isOldest ? end < head.index : end > 1;
  return hasMore ? { items, head, hasMore, nextCursor: end } : { items, head, hasMore };
}
