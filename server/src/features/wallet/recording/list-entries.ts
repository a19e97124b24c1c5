import type { Database } from '../../../database/database.ts';
import type { Head } from './ledger-entry.ts';
import { listEntries, readHead, type EntryFilter, type IndexRange } from './queries.ts';
import { nameEntries, toShownEntry, type NamedEntry } from './read-ledger.ts';

/** No index serves the filters, so that recording stays fast. A page reads at most this many entries (15 ms). */
const SEARCHED_ENTRIES = 10_000;

interface EntryPage {
  items: NamedEntry[];
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
  const head = await readHead(tenant, tenantId);
  const isOldest = filter.order === 'oldest';
  const { first, last } = isOldest
    ? rangeAfter(cursor ?? 0)
    : rangeBefore(Math.min(cursor ?? Infinity, head.index + 1));
  const found = await listEntries(tenant, tenantId, { ...filter, first, last }, limit);
  const items = await nameEntries(tenant, tenantId, found.map(toShownEntry));

  // A full page ends with its last entry. Any other page has searched the whole range.
  const end = found.length === limit ? found.at(-1)!.index : isOldest ? last : first;
  const hasMore = isOldest ? end < head.index : end > 1;
  return hasMore ? { items, head, hasMore, nextCursor: end } : { items, head, hasMore };
}

const rangeAfter = (index: number): IndexRange => ({ first: index + 1, last: index + SEARCHED_ENTRIES });

const rangeBefore = (index: number): IndexRange => ({
  first: Math.max(1, index - SEARCHED_ENTRIES),
  last: index - 1,
});
