import type { Querier } from '../../../database/database.ts';
import { empty, sql } from '../../../database/sql.ts';
import type { Visibility } from '../../../core/visibility.ts';
import type { Identity } from '../../sign-in/login/index.ts';
import type { Provider } from '../../studio/tenants/index.ts';

/** How many sign-in methods a profile can have before no more can be linked. The password of an email address is an extra one. */
export const MAX_AUTH_METHODS = 50;
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

/** A sign-in method as its own player sees it. */
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

/** Lists the sign-in methods: the primary one first, then in the order of linking. */
export function listAuthMethods(db: Querier, playerId: string): Promise<AuthMethod[]> {
  return db.rows(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE player_id = ${playerId}
    ORDER BY is_primary DESC, linked_at, id`);
}

/** Finds a sign-in method. Returns undefined if it is not the player's. */
export function findAuthMethod(
  db: Querier,
  playerId: string,
  methodId: string,
): Promise<AuthMethod | undefined> {
  return db.row(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE id = ${methodId} AND player_id = ${playerId}`);
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

/** Finds the sign-in method of an identity, and its player, who may be outside of the scope. */
export function findIdentity(
  db: Querier,
  identity: Identity,
): Promise<{ methodId: string; playerId: string; secretHash: Buffer | null } | undefined> {
  return db.row(sql`
    SELECT * FROM guildhall_find_identity(${identity.provider}, ${identity.issuer}, ${identity.providerUserId})`);
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

/** The fields of a new sign-in method beside its identity. */
export interface NewAuthMethod {
  id: string;
  playerId: string;
  at: string;
  /** The workspace to which the method is restricted; null means all workspaces. */
  linkedInWorkspace: string | null;
}

/** Adds a sign-in method that is not primary. Returns undefined if a player already has the identity. */
export function insertAuthMethod(
  db: Querier,
  identity: Identity,
  { id, playerId, at, linkedInWorkspace }: NewAuthMethod,
): Promise<AuthMethod | undefined> {
  return db.row(sql`
    INSERT INTO auth_methods (id, player_id, auth_provider, issuer, provider_user_id, email, username, display_name,
                              wallet_address, secret_hash, linked_at, linked_in_workspace)
    VALUES (${id}, ${playerId}, ${identity.provider}, ${identity.issuer}, ${identity.providerUserId}, ${identity.email},
            ${identity.username}, ${identity.displayName}, ${identity.walletAddress}, ${identity.secretHash}, ${at},
            ${linkedInWorkspace})
    ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING
    RETURNING ${methodColumns}`);
}

/** Removes a sign-in method and returns it. Returns undefined if it is not the player's. */
export function deleteAuthMethod(
  db: Querier,
  playerId: string,
  methodId: string,
): Promise<{ isPrimary: boolean; provider: Provider; providerUserId: string } | undefined> {
  return db.row(sql`
    DELETE FROM auth_methods WHERE id = ${methodId} AND player_id = ${playerId}
    RETURNING is_primary AS "isPrimary", auth_provider AS provider, provider_user_id AS "providerUserId"`);
}

/** Finds the last used sign-in method. If none was used, the first linked one. */
export function findLastUsedMethod(db: Querier, playerId: string): Promise<AuthMethod | undefined> {
  return db.row(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE player_id = ${playerId}
    ORDER BY last_used_at DESC NULLS LAST, linked_at, id LIMIT 1`);
}

/** Makes a sign-in method of the player the primary one, and returns it. */
export async function makePrimary(db: Querier, playerId: string, method: AuthMethod): Promise<AuthMethod> {
  // Two statements, because the unique index on the primary method is checked row by row.
  await db.run(sql`UPDATE auth_methods SET is_primary = false WHERE player_id = ${playerId} AND is_primary`);
  await db.run(sql`UPDATE auth_methods SET is_primary = true WHERE id = ${method.id}`);
  return { ...method, isPrimary: true };
}

/** Clears the personal data of a deleted profile and deactivates it. */
export async function redactProfile(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    UPDATE players
    SET display_name = NULL, avatar_url = NULL, avatar_name = NULL, email = NULL, profile_visibility = 'private',
        platform_role = 'User', is_active = false
    WHERE id = ${playerId}`);
}

/** Removes all sign-in methods of a player and returns their number. */
export function deleteAuthMethods(db: Querier, playerId: string): Promise<number> {
  return db.run(sql`DELETE FROM auth_methods WHERE player_id = ${playerId}`);
}

/** The receipt of a deletion. */
export interface DeletionReceipt {
  receiptId: string;
  playerId: string;
  deletedAt: string;
  deletedBy: 'player' | 'account';
  removedAuthMethods: number;
  erasedSessions: number;
  destroyedKeys: number;
}

export async function insertDeletionReceipt(
  db: Querier,
  receipt: Omit<DeletionReceipt, 'deletedAt'>,
): Promise<void> {
  await db.run(sql`
    INSERT INTO deletion_receipts (player_id, receipt_id, deleted_by, removed_auth_methods, erased_sessions, destroyed_keys)
    VALUES (${receipt.playerId}, ${receipt.receiptId}, ${receipt.deletedBy}, ${receipt.removedAuthMethods},
            ${receipt.erasedSessions}, ${receipt.destroyedKeys})`);
}

const receiptColumns = sql`receipt_id AS "receiptId", player_id AS "playerId", deleted_at AS "deletedAt", deleted_by AS "deletedBy",
           removed_auth_methods AS "removedAuthMethods", erased_sessions AS "erasedSessions",
           destroyed_keys AS "destroyedKeys"`;

export function findDeletionReceipt(db: Querier, playerId: string): Promise<DeletionReceipt | undefined> {
  return db.row(sql`SELECT ${receiptColumns} FROM deletion_receipts WHERE player_id = ${playerId}`);
}

/** Lists receipts, newest first. The ids of receipts are generated in the order of time. */
export function listDeletionReceipts(
  db: Querier,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<DeletionReceipt[]> {
  return db.rows(sql`
    SELECT ${receiptColumns} FROM deletion_receipts
    ${cursor === undefined ? empty : sql`WHERE receipt_id < ${cursor}`}
    ORDER BY receipt_id DESC LIMIT ${limit}`);
}

/** Deletes what the tenants have noted about a player. */
export async function deleteNotes(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`DELETE FROM player_notes WHERE player_id = ${playerId}`);
}
