import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { Identity } from '../../sign-in/login/index.ts';
import type { Provider } from '../../studio/tenants/index.ts';
import { MOST_GAMES } from './limits.ts';

/** Whether a player exists and was not merged into another. */
export async function isOwnProfile(db: Querier, playerId: string): Promise<boolean> {
  const row = await db.row(sql`SELECT FROM players WHERE id = ${playerId} AND merged_into_id IS NULL`);
  return row !== undefined;
}

export interface ProfileRow {
  id: string;
  displayName: string | null;
  avatarUrl: string | null;
  email: string | null;
  platformRole: string;
  profileVisibility: 'private' | 'limited' | 'full';
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

/** A way to sign in, as its player sees it. */
export interface AuthMethod {
  id: string;
  authProvider: Provider;
  providerUserId: string;
  email: string | null;
  username: string | null;
  displayName: string | null;
  avatarUrl: string | null;
  isPrimary: boolean;
  linkedAt: string;
  lastUsedAt: string | null;
}

const methodColumns = sql`id, auth_provider AS "authProvider", provider_user_id AS "providerUserId", email, username,
    display_name AS "displayName", avatar_url AS "avatarUrl", is_primary AS "isPrimary", linked_at AS "linkedAt",
    last_used_at AS "lastUsedAt"`;

/** The primary one first, then in the order in which they were linked. */
export function listAuthMethods(db: Querier, playerId: string): Promise<AuthMethod[]> {
  return db.rows(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE player_id = ${playerId}
    ORDER BY is_primary DESC, linked_at, id`);
}

/** A tenant that a player has come to. */
export interface TenantAccess {
  tenantId: string;
  tenantRole: string;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
}

/** In the player's own scope: the last {@link MOST_GAMES}. Where they were last comes first. */
export function listTenantAccess(db: Querier, playerId: string): Promise<TenantAccess[]> {
  return db.rows(sql`
    SELECT tenant_id AS "tenantId", tenant_role AS "tenantRole", first_seen_at AS "firstSeenAt",
           last_seen_at AS "lastSeenAt", login_count AS "loginCount"
    FROM tenant_access WHERE player_id = ${playerId}
    ORDER BY last_seen_at DESC, tenant_id LIMIT ${MOST_GAMES}`);
}

/** What a change of a profile has to know of it before. */
export interface LockedProfile {
  email: string | null;
  displayName: string | null;
  avatarUrl: string | null;
  avatarName: string | null;
  profileVisibility: string;
  isActive: boolean;
  mergedIntoId: string | null;
}

/**
 * Locks profiles until the transaction ends, in the order of their ids, before anything else of theirs but their addresses: every
 * sign-in does so too, and so does everything that changes how somebody signs in.
 */
export async function lockProfiles(db: Querier, playerIds: string[]): Promise<Map<string, LockedProfile>> {
  const rows = await db.rows<LockedProfile & { id: string }>(sql`
    SELECT id, email, display_name AS "displayName", avatar_url AS "avatarUrl", avatar_name AS "avatarName",
           profile_visibility AS "profileVisibility", is_active AS "isActive", merged_into_id AS "mergedIntoId"
    FROM players WHERE id = ANY(${playerIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`);
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
    WHERE id = ${playerId}`);
}

/** Whose sign-in method an identity is. */
export function findIdentity(
  db: Querier,
  identity: Identity,
): Promise<{ methodId: string; playerId: string; secretHash: Buffer | null } | undefined> {
  return db.row(sql`
    SELECT id AS "methodId", player_id AS "playerId", secret_hash AS "secretHash" FROM auth_methods
    WHERE auth_provider = ${identity.provider} AND issuer = ${identity.issuer}
      AND provider_user_id = ${identity.providerUserId}`);
}

/**
 * Whether somebody has ended the refreshing of a token's session; of a session of the portal, also by logging out. In the
 * player's own scope.
 */
export async function isSessionRevoked(
  db: Querier,
  { tenantId, sessionId }: { tenantId: string | null; sessionId: string | null },
): Promise<boolean> {
  const row = await db.row(sql`
    SELECT FROM login_sessions
    WHERE tenant_id = ${tenantId} AND session_id = ${sessionId} AND tokens_revoked_at IS NOT NULL
    UNION ALL
    SELECT FROM portal_sessions WHERE ${tenantId}::uuid IS NULL AND id = ${sessionId} AND revoked_at IS NOT NULL`);
  return row !== undefined;
}

/** What a new sign-in method keeps of the identity that the provider vouched for. */
export interface NewAuthMethod {
  id: string;
  playerId: string;
  at: string;
  /** The workspace that the method is good in; null if everywhere. */
  linkedIn: string | null;
}

/** Adds a sign-in method that is not primary; undefined where the identity is somebody's already. */
export function insertAuthMethod(
  db: Querier,
  identity: Identity,
  { id, playerId, at, linkedIn }: NewAuthMethod,
): Promise<AuthMethod | undefined> {
  return db.row(sql`
    INSERT INTO auth_methods (id, player_id, auth_provider, issuer, provider_user_id, email, username, display_name,
                              wallet_address, secret_hash, linked_at, linked_in_workspace)
    VALUES (${id}, ${playerId}, ${identity.provider}, ${identity.issuer}, ${identity.providerUserId}, ${identity.email},
            ${identity.username}, ${identity.displayName}, ${identity.walletAddress}, ${identity.secretHash}, ${at},
            ${linkedIn})
    ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING
    RETURNING ${methodColumns}`);
}

/** Removes a method of the player and says which it was; undefined where it is not theirs. */
export function deleteAuthMethod(
  db: Querier,
  playerId: string,
  methodId: string,
): Promise<{ isPrimary: boolean; provider: Provider; providerUserId: string } | undefined> {
  return db.row(sql`
    DELETE FROM auth_methods WHERE id = ${methodId} AND player_id = ${playerId}
    RETURNING is_primary AS "isPrimary", auth_provider AS provider, provider_user_id AS "providerUserId"`);
}

/** The method that the player has used last; among those never used, the one that was linked first. */
export function findLastUsedMethod(db: Querier, playerId: string): Promise<{ id: string } | undefined> {
  return db.row(sql`
    SELECT id FROM auth_methods WHERE player_id = ${playerId}
    ORDER BY last_used_at DESC NULLS LAST, linked_at, id LIMIT 1`);
}

/** Makes a method of the player the primary one, in place of any other. Undefined where it is not theirs. */
export async function makePrimary(
  db: Querier,
  playerId: string,
  methodId: string,
): Promise<AuthMethod | undefined> {
  // Two statements: the index that allows one primary method looks at every row as it is written.
  await db.run(sql`
    UPDATE auth_methods SET is_primary = false WHERE player_id = ${playerId} AND is_primary AND id <> ${methodId}`);
  return db.row(sql`
    UPDATE auth_methods SET is_primary = true WHERE id = ${methodId} AND player_id = ${playerId}
    RETURNING ${methodColumns}`);
}

/** Clears what a deletion clears of a profile (spec: player profile, rule 5), and closes it. */
export async function redactProfile(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    UPDATE players
    SET display_name = NULL, avatar_url = NULL, avatar_name = NULL, email = NULL, profile_visibility = 'private',
        platform_role = 'User', is_active = false
    WHERE id = ${playerId}`);
}

/** Removes all sign-in methods of a player, and returns how many there were. */
export function deleteAuthMethods(db: Querier, playerId: string): Promise<number> {
  return db.run(sql`DELETE FROM auth_methods WHERE player_id = ${playerId}`);
}
