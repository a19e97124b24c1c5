import type { Database, Querier } from '../../../database/database.ts';
import { isGuid } from '../../../core/ids.ts';
import type { Page } from '../../../core/page.ts';
import { findActiveId } from '../lookup/index.ts';
import { describePlayers, type TenantPlayer } from './describe-players.ts';
import {
  countAll,
  countLeftOut,
  countPassing,
  countUsersOf,
  isCommon,
  listStretch,
  listUsersOf,
  searchPlayers,
  type Found,
  type PlayerFilter,
  type Sort,
  type Stretch,
} from './search-queries.ts';

export interface PlayerQuery extends PlayerFilter, Stretch {
  search?: string | undefined;
}

/** A page of a tenant's players: all of them, or those that a text finds, or a filter. */
export async function listPlayers(
  database: Database,
  tenantId: string,
  { search, banned, hidden, authProvider, ...stretch }: PlayerQuery,
): Promise<Page<TenantPlayer>> {
  const tenant = database.heavy.forTenant(tenantId);
  const filter = { banned, hidden, authProvider };
  const { playerIds, totalCount } =
    search === undefined
      ? await filterPlayers(tenant, tenantId, filter, stretch)
      : await findByText(tenant, tenantId, search, filter, stretch);
  const items = await describePlayers(tenant, tenantId, playerIds);
  return { items, limit: stretch.limit, offset: stretch.offset, totalCount };
}

async function findByText(
  db: Querier,
  tenantId: string,
  text: string,
  filter: PlayerFilter,
  stretch: Stretch,
): Promise<Found> {
  const playerId = isGuid(text) ? await findActiveId(db, text) : undefined;
  return searchPlayers(db, tenantId, { text, playerId }, filter, stretch);
}

async function filterPlayers(
  db: Querier,
  tenantId: string,
  { authProvider, ...filter }: PlayerFilter,
  stretch: Stretch,
): Promise<Found> {
  // Who is rare among a million is found by their provider; who is common, by looking through the list in its order.
  if (authProvider !== undefined && !(await isCommon(db, tenantId, authProvider)))
    return listUsersOf(db, tenantId, authProvider, filter, stretch);
  const wanted = { ...filter, authProvider };
  const totalCount = await countPlayers(db, tenantId, wanted);
  return { playerIds: await readStretch(db, tenantId, wanted, stretch, totalCount), totalCount };
}

async function countPlayers(db: Querier, tenantId: string, filter: PlayerFilter): Promise<number> {
  const { banned, hidden, authProvider } = filter;
  if (authProvider !== undefined && banned === undefined && hidden === undefined)
    return countUsersOf(db, tenantId, authProvider);
  if (authProvider !== undefined || banned || hidden) return countPassing(db, tenantId, filter);
  const [all, leftOut] = await Promise.all([countAll(db, tenantId), countLeftOut(db, tenantId, filter)]);
  return all - leftOut;
}

/** What lies in the farther half of the list is read from its end: so at most half of an index is passed over. */
async function readStretch(
  db: Querier,
  tenantId: string,
  filter: PlayerFilter,
  { sort, limit, offset }: Stretch,
  totalCount: number,
): Promise<string[]> {
  if (offset >= totalCount) return [];
  if (offset <= totalCount / 2) return listStretch(db, tenantId, filter, { sort, limit, offset });
  const length = Math.min(limit, totalCount - offset);
  const fromEnd = { sort: opposite(sort), limit: length, offset: totalCount - offset - length };
  return (await listStretch(db, tenantId, filter, fromEnd)).toReversed();
}

function opposite(sort: Sort): Sort {
  return (sort.startsWith('-') ? sort.slice(1) : `-${sort}`) as Sort;
}
