import type { Querier } from '../../../database/database.ts';
import { beginsWith } from '../../../database/begins-with.ts';
import { join, sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { Provider } from '../../studio/tenants/index.ts';

/** The sort keys of a list of players. A minus before the key means descending. */
export const sortKeys = ['lastSeenAt', 'firstSeenAt', 'displayName'] as const;
type SortKey = (typeof sortKeys)[number];
export type Sort = SortKey | `-${SortKey}`;

/** The columns of each sort key, before the player. Each key has an index on the tenant, the first column and, if it is the only one, the player. */
const columns: Record<SortKey, Sql[]> = {
  lastSeenAt: [sql`access.last_seen_hour`, sql`access.last_seen_at`],
  firstSeenAt: [sql`access.first_seen_at`],
  displayName: [sql`access.search_name`],
};

/** An undefined field does not filter. */
export interface PlayerFilter {
  banned?: boolean | undefined;
  hidden?: boolean | undefined;
  authProvider?: Provider | undefined;
}

/** A page of a sorted list. */
export interface Slice extends PageRequest {
  sort: Sort;
}

/** The players of a page in its order, and the number of players on all pages. */
export interface SearchResult {
  playerIds: string[];
  totalCount: number;
}

/**
 * The maximum number of players that a search finds. Each of the three search columns contributes its first matches in the order of
 * the column. Finding, sorting and counting 2,500 of a million players takes 15 ms.
 */
export const MAX_FOUND = 2_500;

/** How many players a filter by ban or by hiding finds and counts. Finding, sorting and counting 50,000 of 100,000 takes 40 to 130 ms on a busy machine. */
const MAX_RESTRICTED = 50_000;

/** Reads the number of the tenant's players, or of those who have used a provider, from the counter table. */
export function countUsers(
  db: Querier,
  tenantId: string,
  authProvider: Provider | undefined,
): Promise<number> {
  return db.count(sql`
    SELECT coalesce(sum(players), 0)::int AS count FROM tenant_player_counts
    WHERE tenant_id = ${tenantId} AND auth_provider = ${authProvider ?? ''}`);
}

/** Counts the banned or hidden players that match a filter, at most {@link MAX_RESTRICTED}. */
export function countRestricted(db: Querier, tenantId: string, filter: PlayerFilter): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM (${restricted(tenantId, filter)}) access
    WHERE ${join([sql`true`, ...conditionsOf(tenantId, filter)], ' AND ')}`);
}

/** Counts the banned and the hidden players that a filter excludes, at most {@link MAX_RESTRICTED} of each. */
export function countExcluded(
  db: Querier,
  tenantId: string,
  { banned, hidden, authProvider }: PlayerFilter,
): Promise<number> {
  const players = (kind: 'banned' | 'hidden') => sql`
    SELECT access.player_id FROM (${restricted(tenantId, { [kind]: true })}) access
    WHERE ${join([sql`true`, ...conditionsOf(tenantId, { authProvider })], ' AND ')}`;
  const excluded = [sql`SELECT NULL::uuid WHERE false`];
  if (banned === false) excluded.push(players('banned'));
  if (hidden === false) excluded.push(players('hidden'));
  // A union, because each condition has an index of its own.
  return db.count(sql`SELECT count(*) FROM (${join(excluded, ' UNION ')}) player`);
}

/** Whether {@link countExcluded} may have missed players, because it counts at most {@link MAX_RESTRICTED} of each kind. */
export function isCountLimited(
  db: Querier,
  tenantId: string,
  { banned, hidden }: PlayerFilter,
): Promise<boolean> {
  const reached = (kind: 'banned' | 'hidden') => sql`
    EXISTS (SELECT FROM (${restricted(tenantId, { [kind]: true })}) access OFFSET ${MAX_RESTRICTED - 1})`;
  const limits = [sql`false`];
  if (banned === false) limits.push(reached('banned'));
  if (hidden === false) limits.push(reached('hidden'));
  return db.exists(sql`SELECT WHERE ${join(limits, ' OR ')}`);
}

/** Lists a page of the players that match a filter, in the order of an index. */
export async function listSlice(
  db: Querier,
  tenantId: string,
  filter: PlayerFilter,
  { sort, limit, offset }: Slice,
): Promise<string[]> {
  const conditions = join([sql`access.tenant_id = ${tenantId}`, ...conditionsOf(tenantId, filter)], ' AND ');
  // Few players are banned or hidden, so they are read first. Otherwise the inner order is that of an index: with an order that no index
  // has, the planner could sort all players of the tenant. Many players have no name, so the order by name also has the player id.
  const [first, second, ...others] = orderOf(sort);
  const inOrder =
    others.length === 0
      ? sql`ORDER BY ${first}, ${second} LIMIT ${limit + offset}`
      : sql`ORDER BY ${first} FETCH FIRST ${limit + offset} ROWS WITH TIES`;
  const matching =
    filter.banned || filter.hidden
      ? sql`SELECT access.* FROM (${restricted(tenantId, filter)}) access WHERE ${conditions}`
      : sql`SELECT access.* FROM tenant_access access WHERE ${conditions} ${inOrder}`;
  const rows = await db.rows<{ id: string }>(sql`
    SELECT access.player_id AS id FROM (${matching}) access
    ORDER BY ${join(orderOf(sort))} LIMIT ${limit} OFFSET ${offset}`);
  return rows.map(({ id }) => id);
}

/**
 * Finds the players whose name begins with a text, or whose provider user id or email address in this tenant does, and the player of
 * an id. Each condition uses an index that begins with the tenant. So not even the response time reveals names or numbers of players
 * of other tenants.
 */
export function searchPlayers(
  db: Querier,
  tenantId: string,
  { text, playerId }: { text: string; playerId: string | undefined },
  filter: PlayerFilter,
  slice: Slice,
): Promise<SearchResult> {
  const matching = (table: Sql, column: Sql) => sql`
    (SELECT player_id FROM ${table} WHERE tenant_id = ${tenantId} AND ${beginsWith(column, text)}
     ORDER BY ${column} LIMIT ${MAX_FOUND})`;
  const matches = [
    sql`(SELECT ${playerId}::uuid AS player_id WHERE ${playerId}::uuid IS NOT NULL)`,
    matching(sql`tenant_access`, sql`search_name`),
    matching(sql`tenant_sign_in_methods`, sql`search_id`),
    matching(sql`tenant_sign_in_methods`, sql`search_email`),
  ];
  return pageOf(db, tenantId, join(matches, ' UNION '), filter, slice);
}

/** Lists the players who have used a provider in the tenant and match the filter. At most {@link MAX_FOUND} players. */
export function listProviderUsers(
  db: Querier,
  tenantId: string,
  authProvider: Provider,
  filter: Omit<PlayerFilter, 'authProvider'>,
  slice: Slice,
): Promise<SearchResult> {
  const users = sql`
    SELECT DISTINCT player_id FROM tenant_sign_in_methods
    WHERE tenant_id = ${tenantId} AND auth_provider = ${authProvider}`;
  return pageOf(db, tenantId, users, filter, slice);
}

/** Filters, counts and sorts at most {@link MAX_FOUND} players, and returns a page of them. */
function pageOf(
  db: Querier,
  tenantId: string,
  players: Sql,
  filter: PlayerFilter,
  { sort, limit, offset }: Slice,
): Promise<SearchResult> {
  const conditions = [sql`true`, ...conditionsOf(tenantId, filter)];
  return db.one(sql`
    WITH few AS MATERIALIZED (SELECT player_id FROM (${players}) few LIMIT ${MAX_FOUND}),
    access AS MATERIALIZED (
      SELECT access.* FROM few JOIN tenant_access access
        ON access.tenant_id = ${tenantId} AND access.player_id = few.player_id
      WHERE ${join(conditions, ' AND ')})
    SELECT (SELECT count(*) FROM access) AS "totalCount",
           ARRAY(SELECT access.player_id::text FROM access ORDER BY ${join(orderOf(sort))}
                 LIMIT ${limit} OFFSET ${offset}) AS "playerIds"`);
}

const isBanned = sql`access.banned_until > now()`;
const isHidden = sql`access.hidden_from_discovery`;

/** The banned players, those whose bans end last first, or the hidden ones. At most {@link MAX_RESTRICTED}. */
const restricted = (tenantId: string, { banned }: PlayerFilter): Sql => sql`
      SELECT access.* FROM tenant_access access
      WHERE access.tenant_id = ${tenantId} AND ${banned ? isBanned : isHidden}
      ORDER BY ${banned ? sql`access.banned_until DESC` : sql`access.player_id`} LIMIT ${MAX_RESTRICTED}`;

function conditionsOf(tenantId: string, { banned, hidden, authProvider }: PlayerFilter): Sql[] {
  const conditions: Sql[] = [];
  if (banned !== undefined) conditions.push(banned ? isBanned : sql`(${isBanned}) IS NOT TRUE`);
  if (hidden !== undefined) conditions.push(hidden ? isHidden : sql`NOT ${isHidden}`);
  if (authProvider !== undefined)
    conditions.push(sql`EXISTS (
      SELECT FROM tenant_sign_in_methods known
      WHERE known.tenant_id = ${tenantId} AND known.auth_provider = ${authProvider} AND known.player_id = access.player_id)`);
  return conditions;
}

/** The columns of an order. An index has the first one. */
function orderOf(sort: Sort): Sql[] {
  const descends = sort.startsWith('-');
  const order = [...columns[(descends ? sort.slice(1) : sort) as SortKey], sql`access.player_id`];
  return descends ? order.map((column) => sql`${column} DESC`) : order;
}
