import type { Querier } from '../../../database/database.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import type { NewRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Identity } from './identity.ts';

export interface KnownPlayer {
  playerId: string;
  authMethodId: string;
  secretHash: Buffer | null;
  isActive: boolean;
  isBanned: boolean;
  /** Whether the sign-in method is restricted to games of another workspace (docs/decisions/0035-proofs-of-identity.md). */
  isMethodForeign: boolean;
  /** Whether the player has used the sign-in method in the tenant before. */
  isMethodUsedInTenant: boolean;
  deviceId: string | null;
  isDeviceBlocked: boolean;
}

/** The player of an identity. Without a player, the identity itself may be banned. */
export interface FoundPlayer {
  known: KnownPlayer | undefined;
  isIdentityBanned: boolean;
}

/** Finds the player of an identity, and everything that can refuse the sign-in. */
export async function findPlayer(
  db: Querier,
  tenantId: string,
  identity: Identity,
  { fingerprint, deviceFingerprint = null }: { fingerprint: Buffer; deviceFingerprint?: string | null },
): Promise<FoundPlayer> {
  const row = await db.one<FoundColumns>(sql`
    SELECT ${foundColumns(tenantId)}, device.id AS "deviceId", coalesce(device.is_blocked, false) AS "isDeviceBlocked"
    FROM (VALUES (${identity.provider}::text, ${identity.issuer}::text, ${identity.providerUserId}::text,
                  ${fingerprint}::bytea))
      AS request (auth_provider, issuer, provider_user_id, ban_fingerprint)
    ${playerOfRequest(tenantId)}
    LEFT JOIN guildhall_find_device(method.player_id, ${deviceFingerprint}) device ON true`);
  return toFoundPlayer(row);
}

/** The row of a look-up. All columns of an unknown player are null. */
export type FoundColumns = KnownPlayer & { isIdentityBanned: boolean };

export function toFoundPlayer({ isIdentityBanned, ...known }: FoundColumns): FoundPlayer {
  return { known: known.playerId ? known : undefined, isIdentityBanned };
}

/**
 * Joins `request` with the player of its identity. Each look-up is by its full key, and OFFSET 0 keeps the planner from turning it
 * around: without statistics it would start with all access records of the tenant.
 */
export const playerOfRequest = (tenantId: string) => sql`
    LEFT JOIN LATERAL (
      SELECT id, player_id, secret_hash, linked_in_workspace FROM auth_methods
      WHERE auth_provider = request.auth_provider AND issuer = request.issuer
        AND provider_user_id = request.provider_user_id OFFSET 0) method ON true
    LEFT JOIN LATERAL (
      SELECT is_active FROM players WHERE id = method.player_id OFFSET 0) player ON true
    LEFT JOIN LATERAL (
      SELECT banned_until FROM tenant_access
      WHERE tenant_id = ${tenantId} AND player_id = method.player_id OFFSET 0) access ON true`;

/** The columns of {@link FoundColumns} without those of the device, for a relation joined with {@link playerOfRequest}. */
export const foundColumns = (tenantId: string) => sql`
           method.player_id AS "playerId", method.id AS "authMethodId", method.secret_hash AS "secretHash",
           player.is_active AS "isActive",
           coalesce(access.banned_until > now(), false) AS "isBanned",
           coalesce(method.linked_in_workspace <> (SELECT workspace_id FROM tenants WHERE id = ${tenantId}), false)
             AS "isMethodForeign",
           EXISTS (SELECT FROM ban_fingerprints ban CROSS JOIN LATERAL (
                     SELECT FROM tenant_access WHERE tenant_id = ${tenantId} AND player_id = ban.player_id
                       AND banned_until > now() OFFSET 0) banned
                   WHERE ban.tenant_id = ${tenantId} AND ban.fingerprint = request.ban_fingerprint OFFSET 0)
             AS "isIdentityBanned",
           EXISTS (SELECT FROM tenant_sign_in_methods WHERE tenant_id = ${tenantId} AND auth_method_id = method.id OFFSET 0)
             AS "isMethodUsedInTenant"`;

/** Selects the reason of the active ban of a player that ends last. A player has two after a merge of two banned profiles. */
export const reasonOfBan = (tenantId: string, playerId: Sql): Sql => sql`
      SELECT reason FROM player_bans
      WHERE tenant_id = ${tenantId} AND player_id = ${playerId} AND lifted_at IS NULL
        AND (until IS NULL OR until > now())
      ORDER BY until DESC NULLS FIRST, banned_at DESC LIMIT 1`;

/**
 * The ban that ends last: of the player of an identity, or of an identity with this fingerprint. Its `until` is null if it ends when it
 * is lifted.
 */
export function findActiveBan(
  db: Querier,
  tenantId: string,
  identity: Identity,
  fingerprint: Buffer | null,
): Promise<{ reason: string | null; until: string | null } | undefined> {
  return db.row(sql`
    SELECT ban.reason, nullif(access.banned_until, 'infinity') AS until
    FROM (
      SELECT player_id FROM auth_methods
      WHERE auth_provider = ${identity.provider} AND issuer = ${identity.issuer} AND provider_user_id = ${identity.providerUserId}
      UNION
      SELECT player_id FROM ban_fingerprints WHERE tenant_id = ${tenantId} AND fingerprint = ${fingerprint}::bytea) banned
    CROSS JOIN LATERAL (
      SELECT banned_until FROM tenant_access
      WHERE tenant_id = ${tenantId} AND player_id = banned.player_id AND banned_until > now() OFFSET 0) access
    LEFT JOIN LATERAL (${reasonOfBan(tenantId, sql`banned.player_id`)}) ban ON true
    ORDER BY access.banned_until DESC LIMIT 1`);
}

/** The player of an identity, in any tenant. */
export function findPlayerId(db: Querier, identity: Identity): Promise<{ playerId: string } | undefined> {
  return db.row(sql`
    SELECT player_id AS "playerId" FROM auth_methods
    WHERE auth_provider = ${identity.provider} AND issuer = ${identity.issuer} AND provider_user_id = ${identity.providerUserId}`);
}

/** The player of an identity, if the player has signed in to the tenant. */
export function findPlayerIdInTenant(
  db: Querier,
  tenantId: string,
  identity: Identity,
): Promise<{ playerId: string } | undefined> {
  return db.row(sql`
    SELECT method.player_id AS "playerId"
    FROM auth_methods method
    JOIN tenant_access access ON access.tenant_id = ${tenantId} AND access.player_id = method.player_id
    WHERE method.auth_provider = ${identity.provider} AND method.issuer = ${identity.issuer}
      AND method.provider_user_id = ${identity.providerUserId}`);
}

/** A login before its player is known. `device` is null if the client sent none. */
export interface UnidentifiedLogin {
  identity: Identity;
  sessionId: string;
  ledgerId: string;
  authProvider: string;
  platform: string;
  clientVersion: string | null;
  clientBuild: string | null;
  ipAddress: string | null;
  keySalt: Buffer;
  personalData: Buffer;
  refreshToken: NewRefreshToken;
  device: SentDevice | null;
}

interface SentDevice {
  fingerprint: string;
  hardwareModel: string | null;
  osVersion: string | null;
  metadata: Record<string, unknown> | null;
}

/** Everything that one login writes. All times are `at`. */
export interface LoginRecord extends UnidentifiedLogin {
  tenantId: string;
  playerId: string;
  authMethodId: string;
  isMethodUsedInTenant: boolean;
  device: (SentDevice & { id: string }) | null;
  at: string;
  rowHash: Buffer;
}

/** The reason for which the statement refused a login that passed the earlier checks. */
export type LoginRefusal = 'player_banned' | 'device_blocked' | 'lost_race';

/**
 * Writes a login in one statement: device, access record, sign-in method, session state, ledger row, refresh token. Since the player
 * was read, a ban or a block may have been added, another login may have registered the device, or the sign-in method may have been
 * removed. Then the statement fails with a {@link LoginRefusal}.
 *
 * The statement locks the player first, and sets `received_at_db` under that lock. So the logins of one player have `received_at_db`
 * in commit order, which the cursor of the history requires (docs/decisions/0017-login-order.md).
 */
export async function writeLogin(db: Querier, login: LoginRecord): Promise<void> {
  const { tenantId, playerId, sessionId, at, device } = login;
  await db.run(sql`
    WITH player AS MATERIALIZED (
      SELECT is_active, search_name FROM players WHERE id = ${playerId} FOR NO KEY UPDATE),
    device AS (
      INSERT INTO devices AS known (id, player_id, device_fingerprint, platform, hardware_model, os_version, metadata,
                                    first_seen_at, last_seen_at, created_at_gl, updated_at_gl)
      SELECT ${device?.id}::uuid, ${playerId}::uuid, ${device?.fingerprint}::text, ${login.platform},
             ${device?.hardwareModel}, ${device?.osVersion}, coalesce(${device?.metadata && JSON.stringify(device.metadata)}::jsonb, '{}'),
             ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
      WHERE ${device !== null}::boolean
      ON CONFLICT (player_id, device_fingerprint) DO UPDATE SET
        platform = CASE excluded.platform WHEN 'Unknown' THEN known.platform ELSE excluded.platform END,
        hardware_model = coalesce(excluded.hardware_model, known.hardware_model),
        os_version = coalesce(excluded.os_version, known.os_version),
        metadata = CASE excluded.metadata WHEN '{}' THEN known.metadata ELSE excluded.metadata END,
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
        login_count = known.login_count + 1,
        updated_at_gl = excluded.updated_at_gl
      RETURNING id, is_blocked),
    access AS (
      INSERT INTO tenant_access AS known (tenant_id, player_id, first_seen_at, last_seen_at, search_name)
      SELECT ${tenantId}::uuid, ${playerId}::uuid, ${at}::timestamptz, ${at}::timestamptz, search_name FROM player
      ON CONFLICT (tenant_id, player_id) DO UPDATE SET
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
        login_count = known.login_count + 1
      RETURNING banned_until, login_count = 1 AS is_first),
    method AS (
      UPDATE auth_methods SET last_used_at = ${at}, wallet_address = coalesce(${login.identity.walletAddress}, wallet_address)
      WHERE id = ${login.authMethodId} RETURNING id, player_id, auth_provider, provider_user_id, email),
    ${login.isMethodUsedInTenant ? empty : firstUse(tenantId, at)}
    session AS (
      INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider,
                                  auth_method_id, device_id, platform, client_version, last_ip_address, key_salt)
      VALUES (${tenantId}, ${sessionId}, ${playerId}, ${at}, ${at}, ${login.authProvider},
              ${login.authMethodId}, ${device?.id}::uuid, ${login.platform}, ${login.clientVersion}, ${login.ipAddress}::inet, ${login.keySalt})),
    ledger AS (
      INSERT INTO login_ledger (tenant_id, id, session_id, player_id, auth_method_id, auth_provider, device_id, platform,
                                client_version, client_build, occurred_at, created_at_gl, received_at_db,
                                personal_data, row_hash)
      SELECT ${tenantId}::uuid, ${login.ledgerId}::uuid, ${sessionId}::uuid, ${playerId}::uuid,
             ${login.authMethodId}::uuid, ${login.authProvider}, ${device?.id}::uuid, ${login.platform},
             ${login.clientVersion}, ${login.clientBuild}, ${at}::timestamptz,
             ${at}::timestamptz, clock_timestamp(), ${login.personalData}::bytea, ${login.rowHash}::bytea
      FROM player),
    token AS (
      INSERT INTO refresh_tokens (tenant_id, token_hash, session_id, expires_at)
      VALUES (${tenantId}, ${login.refreshToken.hash}, ${sessionId}, ${login.refreshToken.expiresAt}))
    SELECT CASE
      WHEN NOT (SELECT is_active FROM player) THEN guildhall_refuse('lost_race')
      WHEN (SELECT banned_until > now() FROM access) THEN guildhall_refuse('player_banned')
      WHEN (SELECT is_blocked FROM device) THEN guildhall_refuse('device_blocked')
      WHEN (SELECT id FROM device) <> ${device?.id}::uuid THEN guildhall_refuse('lost_race')
      WHEN NOT EXISTS (SELECT FROM method) THEN guildhall_refuse('lost_race')
    END`);
}

/**
 * Writes the rows for the tenant's list of players, at the first sign-in with a method only. Every other login avoids opening and
 * locking two more tables and their indexes.
 */
const firstUse = (tenantId: string, at: string) => sql`
    counted AS (
      INSERT INTO tenant_player_counts AS known (tenant_id, players)
      SELECT ${tenantId}::uuid, 1 FROM access WHERE is_first
      ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players),
    shown AS (
      INSERT INTO tenant_sign_in_methods (tenant_id, auth_method_id, player_id, auth_provider, search_id, search_email,
                                          first_used_at)
      SELECT ${tenantId}::uuid, id, player_id, auth_provider, guildhall_search_form(provider_user_id),
             guildhall_search_form(nullif(email, provider_user_id)), ${at}::timestamptz
      FROM method ON CONFLICT (tenant_id, auth_method_id) DO NOTHING),`;
