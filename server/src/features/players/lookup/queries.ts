import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';

/** What a player shows of themselves, as far as others are concerned. */
export interface Profile {
  id: string;
  displayName: string | null;
  avatarUrl: string | null;
  profileVisibility: 'private' | 'limited' | 'full';
}

/** A profile with its access record in one tenant. */
export interface TenantProfile extends Profile {
  /** The id that was asked for: another one, where that profile was merged into this. */
  askedId: string;
  isHidden: boolean;
  tenantRole: string;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
}

/**
 * The profile that a row `asked` of players leads to: itself, or, where it was merged, the end of the chain of merges.
 * UNION ends a circle, were there one. In a CASE, so that the recursion costs those alone who need it.
 */
const activeId = sql`CASE WHEN asked.merged_into_id IS NULL THEN asked.id ELSE (
      WITH RECURSIVE chain AS (
        SELECT asked.merged_into_id AS id
        UNION
        SELECT link.merged_into_id
        FROM chain
        JOIN players link ON link.id = chain.id
        WHERE link.merged_into_id IS NOT NULL)
      SELECT target.id
      FROM chain
      JOIN players target ON target.id = chain.id
      WHERE target.merged_into_id IS NULL) END`;

/** The id of the profile that an id leads to, deleted or not; undefined where there is none. */
export async function findActiveId(db: Querier, id: string): Promise<string | undefined> {
  const row = await db.row<{ id: string | null }>(
    sql`SELECT ${activeId} AS id FROM players asked WHERE asked.id = ${id}`,
  );
  return row?.id ?? undefined;
}

const profile = sql`player.id, player.display_name AS "displayName", player.avatar_url AS "avatarUrl",
           player.profile_visibility AS "profileVisibility"`;

const fromAsked = sql`FROM players asked
    JOIN players player ON player.id = ${activeId} AND player.is_active`;

const inTenant = (tenantId: string): Sql => sql`
    SELECT asked.id AS "askedId", ${profile}, access.hidden_from_discovery AS "isHidden",
           access.tenant_role AS "tenantRole", access.first_seen_at AS "firstSeenAt",
           access.last_seen_at AS "lastSeenAt", access.login_count AS "loginCount"
    ${fromAsked}
    JOIN tenant_access access ON access.tenant_id = ${tenantId} AND access.player_id = player.id`;

/**
 * The active profile behind an id, where it has access to the tenant. Not the statement below with one id: PostgreSQL
 * would plan that anew each time, at 200 µs instead of 40, as it cannot know how many ids come.
 */
export function findTenantProfile(
  db: Querier,
  tenantId: string,
  id: string,
): Promise<TenantProfile | undefined> {
  return db.row(sql`${inTenant(tenantId)} WHERE asked.id = ${id}`);
}

/** The active profiles behind some ids, as far as they have access to the tenant. */
export function findTenantProfiles(db: Querier, tenantId: string, ids: string[]): Promise<TenantProfile[]> {
  return db.rows(sql`${inTenant(tenantId)} WHERE asked.id = ANY(${ids}::uuid[])`);
}

/** The active profile behind an id, wherever its player plays. */
export function findProfile(db: Querier, id: string): Promise<Profile | undefined> {
  return db.row(sql`SELECT ${profile} ${fromAsked} WHERE asked.id = ${id}`);
}

/** How many games a public profile shows. */
export const MOST_GAMES = 200;

/** A game that a player has played. */
export interface PlayedGame {
  gameId: string;
  gameName: string;
  gameSlug: string;
  lastPlayedAt: string;
  loginCount: number;
}

/** The last {@link MOST_GAMES} games that anybody may see a player in, the last played first: none that is hidden or disabled. */
export function listVisibleGames(db: Querier, playerId: string): Promise<PlayedGame[]> {
  return db.rows(sql`
    SELECT tenant.id AS "gameId", tenant.name AS "gameName", tenant.slug AS "gameSlug",
           access.last_seen_at AS "lastPlayedAt", access.login_count AS "loginCount"
    FROM tenant_access access
    JOIN tenants tenant ON tenant.id = access.tenant_id
    WHERE access.player_id = ${playerId} AND NOT access.hidden_from_discovery
      AND NOT tenant.hidden_from_discovery AND tenant.disabled_at IS NULL
    ORDER BY access.last_seen_at DESC, tenant.id LIMIT ${MOST_GAMES}`);
}
