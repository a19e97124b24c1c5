import type { Database, Querier } from '../../../database/database.ts';
import { isGuid } from '../../../core/ids.ts';
import type { Page } from '../../../core/page.ts';
import { findActiveId } from '../lookup/index.ts';
import { describePlayers, type TenantPlayer } from './read-player.ts';
import {
  countAll,
  countExcluded,
  countMatching,
  countProviderUsers,
  isCommonProvider,
  listSlice,
  listProviderUsers,
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
  { authProvider, ...filter }: PlayerFilter,
  slice: Slice,
): Promise<SearchResult> {
  // Players of a rare provider are found by the provider. Those of a common one are found by a scan in the sort order.
  if (authProvider !== undefined && !(await isCommonProvider(db, tenantId, authProvider)))
    return listProviderUsers(db, tenantId, authProvider, filter, slice);
  const fullFilter = { ...filter, authProvider };
  const totalCount = await countPlayers(db, tenantId, fullFilter);
  return { playerIds: await readSlice(db, tenantId, fullFilter, slice, totalCount), totalCount };
}

async function countPlayers(db: Querier, tenantId: string, filter: PlayerFilter): Promise<number> {
  const { banned, hidden, authProvider } = filter;
  if (authProvider !== undefined && banned === undefined && hidden === undefined)
    return countProviderUsers(db, tenantId, authProvider);
  if (authProvider !== undefined || banned || hidden) return countMatching(db, tenantId, filter);
  const [all, excluded] = await Promise.all([countAll(db, tenantId), countExcluded(db, tenantId, filter)]);
  return all - excluded;
}

/** Reads pages of the second half of the list from its end, so that PostgreSQL skips at most half of the index. */
async function readSlice(
  db: Querier,
  tenantId: string,
  filter: PlayerFilter,
  { sort, limit, offset }: Slice,
  totalCount: number,
): Promise<string[]> {
  if (offset >= totalCount) return [];
  if (offset <= totalCount / 2) return listSlice(db, tenantId, filter, { sort, limit, offset });
  const length = Math.min(limit, totalCount - offset);
  const fromEnd = { sort: reverse(sort), limit: length, offset: totalCount - offset - length };
  return (await listSlice(db, tenantId, filter, fromEnd)).toReversed();
}

function reverse(sort: Sort): Sort {
  return (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as Sort;
}
