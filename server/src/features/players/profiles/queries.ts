import type { Querier } from '../../../database/database.ts';
import { empty, sql } from '../../../database/sql.ts';
import type { Visibility } from '../../../core/visibility.ts';

/** How many profiles can be merged into one. */
export const MAX_MERGED_PROFILES = 100;
/** How many tenants a profile lists. */
export const MAX_LISTED_TENANTS = 1_000;

/** Whether a player exists and was not merged into another one. See docs/decisions/0019-tokens-after-merge-and-deletion.md. */
export function existsUnmerged(db: Querier, playerId: string): Promise<boolean> {
  return db.exists(sql`SELECT FROM players WHERE id = ${playerId} AND merged_into_id IS NULL`);
}

/** Whether a player exists, and was neither deleted nor merged. */
export function isActivePlayer(db: Querier, playerId: string): Promise<boolean> {
  return db.exists(sql`SELECT FROM players WHERE id = ${playerId} AND is_active`);
}

export interface ProfileRow {
  id: string;
  displayName: string | null;
  avatarUrl: string | null;
  email: string | null;
  platformRole: string;
  profileVisibility: Visibility;
  createdAt: string;
  isActive: boolean;
  mergedIntoId: string | null;
  mergedProfileIds: string[];
}

export function findProfile(db: Querier, playerId: string): Promise<ProfileRow | undefined> {
  return db.row(sql`
    SELECT id, display_name AS "displayName", avatar_url AS "avatarUrl", email, platform_role AS "platformRole",
           profile_visibility AS "profileVisibility", created_at AS "createdAt", is_active AS "isActive",
           merged_into_id AS "mergedIntoId",
           ARRAY(SELECT id FROM players source WHERE source.merged_into_id = player.id ORDER BY id) AS "mergedProfileIds"
    FROM players player WHERE id = ${playerId}`);
}

/** A player's access record in a tenant. */
export interface TenantAccess {
  tenantId: string;
  tenantRole: string;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
}

/** Lists at most {@link MAX_LISTED_TENANTS} tenants, the last visited first. Runs in the player's scope. */
export function listTenantAccess(db: Querier, playerId: string): Promise<TenantAccess[]> {
  return db.rows(sql`
    SELECT tenant_id AS "tenantId", tenant_role AS "tenantRole", first_seen_at AS "firstSeenAt",
           last_seen_at AS "lastSeenAt", login_count AS "loginCount"
    FROM tenant_access WHERE player_id = ${playerId}
    ORDER BY last_seen_at DESC, tenant_id LIMIT ${MAX_LISTED_TENANTS}`);
}

/** Lists tenants that know a player, in the order of their ids. Only the index of the player may be chosen, hence OFFSET 0. */
export async function listTenantsOfPlayer(
  db: Querier,
  playerId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.rows<{ tenantId: string }>(sql`
    SELECT tenant_id AS "tenantId" FROM (SELECT tenant_id FROM tenant_access WHERE player_id = ${playerId} OFFSET 0) known
    WHERE tenant_id > ${after} ORDER BY tenant_id LIMIT ${limit}`);
  return rows.map(({ tenantId }) => tenantId);
}

/** The state of a profile before a change. */
export interface LockedProfile {
  id: string;
  email: string | null;
  displayName: string | null;
  avatarUrl: string | null;
  avatarName: string | null;
  profileVisibility: string;
  isActive: boolean;
  mergedIntoId: string | null;
}

/**
 * Locks profiles until the transaction ends, in the order of their ids. Only email credentials are locked before profiles. Every
 * sign-in and every change of sign-in methods takes the locks in this order.
 */
export async function lockProfiles(db: Querier, playerIds: string[]): Promise<Map<string, LockedProfile>> {
  const rows = await db.rows<LockedProfile>(sql`
    SELECT id, email, display_name AS "displayName", avatar_url AS "avatarUrl", avatar_name AS "avatarName",
           profile_visibility AS "profileVisibility", is_active AS "isActive", merged_into_id AS "mergedIntoId"
    FROM guildhall_lock_profiles(${playerIds}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function updateProfile(
  db: Querier,
  playerId: string,
  profile: Pick<LockedProfile, 'displayName' | 'avatarUrl' | 'avatarName' | 'profileVisibility'>,
): Promise<void> {
  await db.run(sql`
    UPDATE players
    SET display_name = ${profile.displayName}, avatar_url = ${profile.avatarUrl}, avatar_name = ${profile.avatarName},
        profile_visibility = ${profile.profileVisibility}
    WHERE id = ${playerId}
      AND (display_name, avatar_url, avatar_name, profile_visibility) IS DISTINCT FROM
          (${profile.displayName}, ${profile.avatarUrl}, ${profile.avatarName}, ${profile.profileVisibility})`);
}

/**
 * The use of an access token. `ownData`: to read what the player has done, or to change the profile. `wholeProfile`: to export or delete
 * it. `signInMethods`: to change how the player signs in.
 */
export type AccessTokenUse = 'ownData' | 'wholeProfile' | 'signInMethods';

/**
 * Whether a session was revoked for a security reason that forbids a use of its access token. A ban is no sign of a leaked token, so it
 * forbids changes of sign-in methods only, and a logout of the portal does not forbid `ownData`. A deleted player has no such session: the
 * deletion revokes all of them, and their tokens still read the rest. Runs in the player's scope.
 */
export function isSessionRevoked(
  db: Querier,
  { playerId, tenantId, sessionId }: { playerId: string; tenantId: string | null; sessionId: string | null },
  use: AccessTokenUse,
): Promise<boolean> {
  const isActive = sql`EXISTS (SELECT FROM players WHERE id = ${playerId} AND is_active)`;
  return tenantId === null
    ? db.exists(sql`
        SELECT FROM portal_sessions
        WHERE id = ${sessionId} AND revoked_at IS NOT NULL ${use === 'ownData' ? sql`AND NOT has_logged_out` : empty} AND ${isActive}`)
    : db.exists(sql`
        SELECT FROM login_sessions
        WHERE tenant_id = ${tenantId} AND session_id = ${sessionId}
          AND (tokens_revoked_at IS NOT NULL ${use === 'signInMethods' ? sql`OR suspended_at IS NOT NULL` : empty}) AND ${isActive}`);
}
