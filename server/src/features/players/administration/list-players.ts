import type { Database, Querier } from '../../../database/database.ts';
import { isGuid } from '../../../core/ids.ts';
import type { Page } from '../../../core/page.ts';
import { findActiveId } from '../lookup/index.ts';
import { describePlayers, type TenantPlayer } from './read-player.ts';
import {
  countExcluded,
  countRestricted,
  countUsers,
  isCountLimited,
  listSlice,
  listProviderUsers,
  MAX_FOUND,
  searchPlayers,
  type SearchResult,
  type PlayerFilter,
  type Sort,
  type Slice,
} from './search-queries.ts';

export interface PlayerQuery extends PlayerFilter, Slice {
  search?: string | undefined;
}

/** A page of a tenant's players, optionally limited by a search text and by filters. */
export async function listPlayers(
  database: Database,
  tenantId: string,
  { search, banned, hidden, authProvider, ...slice }: PlayerQuery,
): Promise<Page<TenantPlayer>> {
  const tenant = database.heavy.forTenant(tenantId);
  const filter = { banned, hidden, authProvider };
  const { playerIds, totalCount } =
    search === undefined
      ? await findByFilter(tenant, tenantId, filter, slice)
      : await findByText(tenant, tenantId, search, filter, slice);
  const items = await describePlayers(tenant, tenantId, playerIds);
  return { items, limit: slice.limit, offset: slice.offset, totalCount };
}

async function findByText(
  db: Querier,
  tenantId: string,
  text: string,
  filter: PlayerFilter,
  slice: Slice,
): Promise<SearchResult> {
  const playerId = isGuid(text) ? await findActiveId(db, text) : undefined;
  return searchPlayers(db, tenantId, { text, playerId }, filter, slice);
}

async function findByFilter(
  db: Querier,
  tenantId: string,
  filter: PlayerFilter,
  slice: Slice,
): Promise<SearchResult> {
  const { authProvider, ...conditions } = filter;
  const users = await countUsers(db, tenantId, authProvider);
  // Players of a rare provider are found by the provider. Those of a common one are found by a scan in the sort order.
  if (authProvider !== undefined && users <= MAX_FOUND)
    return listProviderUsers(db, tenantId, authProvider, conditions, slice);
  const totalCount =
    filter.banned || filter.hidden
      ? await countRestricted(db, tenantId, filter)
      : users - (await countExcluded(db, tenantId, filter));
  return { playerIds: await readSlice(db, tenantId, filter, slice, totalCount), totalCount };
}

/**
 * Reads pages of the second half of the list from its end, so that PostgreSQL skips at most half of the index. If the count is not exact,
 * the place of the page from the end is unknown (docs/decisions/0063-bounded-counts.md).
 */
async function readSlice(
  db: Querier,
  tenantId: string,
  filter: PlayerFilter,
  { sort, limit, offset }: Slice,
  totalCount: number,
): Promise<string[]> {
  if (offset >= totalCount) return [];
  if (offset <= totalCount / 2 || (await isCountLimited(db, tenantId, filter)))
    return listSlice(db, tenantId, filter, { sort, limit, offset });
  const length = Math.min(limit, totalCount - offset);
  const fromEnd = { sort: reverse(sort), limit: length, offset: totalCount - offset - length };
  return (await listSlice(db, tenantId, filter, fromEnd)).toReversed();
}

function reverse(sort: Sort): Sort {
  return (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as Sort;
}
