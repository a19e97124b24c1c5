import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { Visibility } from '../../../core/visibility.ts';

/** The fields of a profile that others can see. */
export interface Profile {
  id: string;
  displayName: string | null;
  avatarUrl: string | null;
  profileVisibility: Visibility;
}

/** A profile with its access record in one tenant. */
export interface TenantProfile extends Profile {
  /** The id in the request. It differs from `id` if that profile was merged into this one. */
  requestedId: string;
  isHidden: boolean;
  tenantRole: string;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
}

/**
 * The id of the profile that the row `requested` of players resolves to: itself, or the end of its chain of merges. UNION stops the
 * recursion if the chain is a cycle. The CASE runs the recursion only for merged profiles.
 */
const activeId = sql`CASE WHEN requested.merged_into_id IS NULL THEN requested.id ELSE (
      WITH RECURSIVE chain AS (
        SELECT requested.merged_into_id AS id
        UNION
        SELECT link.merged_into_id
        FROM chain
        CROSS JOIN LATERAL (SELECT merged_into_id FROM players WHERE id = chain.id OFFSET 0) link
        WHERE link.merged_into_id IS NOT NULL)
      SELECT target.id
      FROM chain
      CROSS JOIN LATERAL (SELECT id, merged_into_id FROM players WHERE id = chain.id OFFSET 0) target
      WHERE target.merged_into_id IS NULL) END`;

/**
 * The row `active`: the id that a requested id resolves to. OFFSET 0 keeps the planner from turning a look-up by key into a join that reads
 * all players.
 */
const activeOf = (id: Sql): Sql => sql`(
      SELECT ${activeId} AS id, requested.id AS requested_id FROM players requested WHERE requested.id = ${id} OFFSET 0) active`;

/** Resolves the id of a merged profile. The profile can be deleted. Returns undefined if there is none. */
export async function findActiveId(db: Querier, id: string): Promise<string | undefined> {
  const row = await db.row<{ id: string | null }>(sql`SELECT active.id FROM ${activeOf(sql`${id}`)}`);
  return row?.id ?? undefined;
}

/** {@link findActiveId} for several ids. Ids of unknown profiles are left out. */
export function findActiveIds(db: Querier, ids: string[]): Promise<{ requestedId: string; id: string }[]> {
  return db.rows(sql`
    SELECT active.requested_id AS "requestedId", active.id
    FROM unnest(${ids}::uuid[]) wanted (id)
    CROSS JOIN LATERAL ${activeOf(sql`wanted.id`)}
    WHERE active.id IS NOT NULL`);
}

const profileColumns = sql`player.id, player.display_name AS "displayName", player.avatar_url AS "avatarUrl",
           player.profile_visibility AS "profileVisibility"`;

const fromRequested = (id: Sql): Sql => sql`
    FROM ${activeOf(id)}
    CROSS JOIN LATERAL (SELECT * FROM players WHERE players.id = active.id OFFSET 0) player`;

const inTenant = (tenantId: string, id: Sql): Sql => sql`
    SELECT active.requested_id AS "requestedId", ${profileColumns}, access.hidden_from_discovery AS "isHidden",
           access.tenant_role AS "tenantRole", access.first_seen_at AS "firstSeenAt",
           access.last_seen_at AS "lastSeenAt", access.login_count AS "loginCount"
    ${fromRequested(id)}
    CROSS JOIN LATERAL (
      SELECT * FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = player.id OFFSET 0) access
    WHERE player.is_active`;

/**
 * Finds the active profile of an id, if it has an access record in the tenant. For one id this is faster than
 * {@link findTenantProfiles}.
 */
export function findTenantProfile(
  db: Querier,
  tenantId: string,
  id: string,
): Promise<TenantProfile | undefined> {
  return db.row(inTenant(tenantId, sql`${id}`));
}

/** Finds the active profiles of several ids, if they have an access record in the tenant. Runs in a batch scope. */
export function findTenantProfiles(db: Querier, tenantId: string, ids: string[]): Promise<TenantProfile[]> {
  return db.rows(sql`
    SELECT profile.* FROM unnest(${ids}::uuid[]) wanted (id)
    CROSS JOIN LATERAL (${inTenant(tenantId, sql`wanted.id`)}) profile`);
}

/** Finds the active profile of an id, in any tenant. */
export function findProfile(db: Querier, id: string): Promise<Profile | undefined> {
  return db.row(sql`SELECT ${profileColumns} ${fromRequested(sql`${id}`)} WHERE player.is_active`);
}

/** The maximum number of games on a public profile. */
export const MAX_GAMES = 200;

/**
 * How many tenants of a player a public profile looks at. Anybody can read it, and a studio can make a player known in any number of
 * its tenants: with 10,000, a request took 43 ms.
 */
const MAX_TENANTS_OF_PROFILE = 1_000;

/** A game on a public profile. */
export interface PlayedGame {
  gameId: string;
  gameName: string;
  gameSlug: string;
  lastPlayedAt: string;
  loginCount: number;
}

/** Lists at most {@link MAX_GAMES} public games of a player, the last played first. Hidden and disabled games are left out. */
export function listVisibleGames(db: Querier, playerId: string): Promise<PlayedGame[]> {
  return db.rows(sql`
    SELECT tenant.id AS "gameId", tenant.name AS "gameName", tenant.slug AS "gameSlug",
           access.last_seen_at AS "lastPlayedAt", access.login_count AS "loginCount"
    FROM (SELECT * FROM tenant_access WHERE player_id = ${playerId} LIMIT ${MAX_TENANTS_OF_PROFILE}) access
    CROSS JOIN LATERAL (SELECT * FROM tenants WHERE id = access.tenant_id OFFSET 0) tenant
    WHERE NOT access.hidden_from_discovery AND NOT tenant.hidden_from_discovery AND tenant.disabled_at IS NULL
    ORDER BY access.last_seen_at DESC, tenant.id LIMIT ${MAX_GAMES}`);
}
