import type { BillingContext } from '../../../core/billing-context.ts';
import { columnOf } from '../../../database/column-of.ts';
import { chargeUnits } from '../../../database/charges.ts';
import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import {
  foundColumns,
  playerOfRequest,
  toFoundPlayer,
  type FoundColumns,
  type FoundPlayer,
  type LoginRecord,
  type UnidentifiedLogin,
} from './queries.ts';

/** The names of {@link sharedArrays}, in the same order. */
const sharedColumns = sql`auth_provider, issuer, provider_user_id, secret_hash, wallet_address, device_fingerprint,
        hardware_model, os_version, device_metadata, ledger_provider, session_id, ledger_id, platform, client_version,
        client_build, ip_address, key_salt, personal_data, token_hash, token_expires_at`;

function sharedArrays(logins: UnidentifiedLogin[]): Sql {
  const column = columnOf(logins);
  const identity = columnOf(column('identity'));
  const devices = column('device');
  const tokens = columnOf(column('refreshToken'));
  return sql`
        ${identity('provider')}::text[], ${identity('issuer')}::text[], ${identity('providerUserId')}::text[],
        ${identity('secretHash')}::bytea[], ${identity('walletAddress')}::text[],
        ${devices.map((device) => device?.fingerprint)}::text[], ${devices.map((device) => device?.hardwareModel)}::text[],
        ${devices.map((device) => device?.osVersion)}::text[],
        ${devices.map((device) => device?.metadata && JSON.stringify(device.metadata))}::jsonb[],
        ${column('authProvider')}::text[], ${column('sessionId')}::uuid[], ${column('ledgerId')}::uuid[],
        ${column('platform')}::text[], ${column('clientVersion')}::text[], ${column('clientBuild')}::text[],
        ${column('ipAddress')}::inet[], ${column('keySalt')}::bytea[], ${column('personalData')}::bytea[],
        ${tokens('hash')}::bytea[], ${tokens('expiresAt')}::timestamptz[]`;
}

/**
 * The last parts of a statement: the session, the ledger row and the refresh token of each row of `login`, and one unit for each. `at` and
 * `rowHash` are expressions on `login`.
 */
const rowsOfLogins = (billing: BillingContext, at: Sql, rowHash: Sql): Sql => sql`
    session AS (
      INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider,
                                  auth_method_id, device_id, platform, client_version, last_ip_address, key_salt)
      SELECT ${billing.tenantId}, session_id, player_id, ${at}, ${at}, ledger_provider, method_id, device_id, platform, client_version,
             ip_address, key_salt
      FROM login),
    ledger AS (
      INSERT INTO login_ledger (tenant_id, id, session_id, player_id, auth_method_id, auth_provider, device_id, platform,
                                client_version, client_build, occurred_at, created_at_gl, received_at_db,
                                personal_data, row_hash)
      SELECT ${billing.tenantId}, ledger_id, session_id, player_id, method_id, ledger_provider, device_id, platform,
             client_version, client_build, ${at}, ${at}, clock_timestamp(), personal_data, ${rowHash}
      FROM login),
    token AS (
      INSERT INTO refresh_tokens (tenant_id, token_hash, session_id, expires_at)
      SELECT ${billing.tenantId}, token_hash, session_id, token_expires_at FROM login),
    charged AS MATERIALIZED (${chargeUnits(billing, sql`(SELECT count(*) FROM login)`)})`;

/** `hashParts` are those of loginRowHashParts. */
interface BatchedLogin extends UnidentifiedLogin {
  banFingerprint: Buffer;
  hashParts: [start: string, middle: string, end: string];
}

/** The player that a batch has signed in, or what it has found instead. */
type BatchedOutcome = { signedIn: { playerId: string } } | { found: FoundPlayer };

/**
 * Finds the players of a batch and writes their logins, in one statement that charges one unit for each login. It writes the logins of
 * players who have used the sign-in method in the tenant before, without a device or from one that they have used before, if nothing
 * refuses them. It leaves out a player whose rows are locked by another transaction, and the second login of a player. The caller
 * writes these logins one by one, and they wait for the lock.
 *
 * The statement locks the players first, so the decision in docs/decisions/0017-login-order.md holds. It waits for no lock, so the
 * order of its locks does not matter. The state that can refuse a login is read again under the lock.
 */
export async function writeKnownLogins(
  db: Querier,
  billing: BillingContext,
  at: string,
  logins: BatchedLogin[],
): Promise<BatchedOutcome[]> {
  const { tenantId } = billing;
  const hashParts = (place: 0 | 1 | 2) => logins.map((login) => login.hashParts[place]);
  const rows = await db.rows<FoundColumns & { signedInId: string | null }>(sql`
    WITH request AS MATERIALIZED (
      SELECT * FROM unnest(
        ${sharedArrays(logins)}, ${logins.map(({ banFingerprint }) => banFingerprint)}::bytea[],
        ${hashParts(0)}::text[], ${hashParts(1)}::text[], ${hashParts(2)}::text[])
      WITH ORDINALITY AS request (
        ${sharedColumns}, ban_fingerprint, hash_start, hash_middle, hash_end, number)),
    found AS MATERIALIZED (
      SELECT request.number, ${foundColumns(tenantId)} FROM request ${playerOfRequest(tenantId)}),
    allowed AS (
      SELECT DISTINCT ON (found."playerId") found."playerId" AS player_id, found."authMethodId" AS method_id, request.*
      FROM found JOIN request USING (number)
      WHERE found."isActive" AND found."isMethodUsedInTenant" AND NOT found."isBanned" AND NOT found."isMethodForeign"
        AND NOT found."isIdentityBanned"
        AND (request.secret_hash IS NULL OR request.secret_hash = found."secretHash")
      ORDER BY found."playerId", number),
    locked AS MATERIALIZED (
      SELECT allowed.*,
             CASE WHEN device_fingerprint IS NOT NULL THEN guildhall_use_device(
               player_id, device_fingerprint, platform, hardware_model, os_version, device_metadata, ${at}) END AS device_id
      FROM allowed
      CROSS JOIN LATERAL (
        SELECT FROM players WHERE id = allowed.player_id AND is_active FOR NO KEY UPDATE SKIP LOCKED) player
      CROSS JOIN LATERAL (
        SELECT FROM tenant_access
        WHERE tenant_id = ${tenantId} AND player_id = allowed.player_id AND (banned_until > now()) IS NOT TRUE
        FOR NO KEY UPDATE SKIP LOCKED) access
      CROSS JOIN LATERAL (
        SELECT FROM auth_methods WHERE id = allowed.method_id AND player_id = allowed.player_id
        FOR NO KEY UPDATE SKIP LOCKED) method),
    login AS MATERIALIZED (SELECT * FROM locked WHERE device_fingerprint IS NULL OR device_id IS NOT NULL),
    access AS (
      INSERT INTO tenant_access AS known (tenant_id, player_id, first_seen_at, last_seen_at)
      SELECT ${tenantId}, player_id, ${at}::timestamptz, ${at}::timestamptz FROM login
      ON CONFLICT (tenant_id, player_id) DO UPDATE SET
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at), login_count = known.login_count + 1),
    method AS (
      UPDATE auth_methods SET
        last_used_at = ${at},
        wallet_address = coalesce((SELECT wallet_address FROM login WHERE method_id = auth_methods.id),
                                  auth_methods.wallet_address)
      WHERE id = ANY(ARRAY(SELECT method_id FROM login))),
    ${rowsOfLogins(
      billing,
      sql`${at}`,
      sql`sha256(convert_to(concat(hash_start, '"', player_id, '","', method_id, '"', hash_middle,
                                      coalesce('"' || device_id || '"', 'null'), hash_end), 'UTF8'))`,
    )}
    SELECT found.*, login.player_id AS "signedInId", device.id AS "deviceId",
           coalesce(device.is_blocked, false) AS "isDeviceBlocked"
    FROM charged CROSS JOIN found
    JOIN request USING (number)
    LEFT JOIN login USING (number)
    LEFT JOIN LATERAL (
      SELECT * FROM guildhall_find_device(found."playerId", request.device_fingerprint)
      WHERE login.number IS NULL OFFSET 0) device ON true
    ORDER BY number`);
  return rows.map(({ signedInId, ...found }) =>
    signedInId === null ? { found: toFoundPlayer(found) } : { signedIn: { playerId: signedInId } },
  );
}

/** A sign-in that creates its player. */
export interface FirstLogin extends LoginRecord {
  profileVisibility: string;
}

/**
 * Creates the players of a batch and writes their first logins, in one statement that charges one unit for each. Returns whether each
 * player was created. A player who was created at the same time, even by an earlier login of the batch, is left out. The sign-in
 * methods are inserted in one order, so that batches of several processes cannot deadlock. A device is added when its player is returned,
 * because only then its foreign key is met.
 */
export async function writeFirstLogins(
  db: Querier,
  billing: BillingContext,
  logins: FirstLogin[],
): Promise<boolean[]> {
  const { tenantId } = billing;
  const column = columnOf(logins);
  const identity = columnOf(column('identity'));
  const created = await db.rows<{ playerId: string }>(sql`
    WITH request AS MATERIALIZED (
      SELECT * FROM unnest(
        ${sharedArrays(logins)}, ${identity('email')}::text[], ${identity('username')}::text[],
        ${identity('displayName')}::text[], ${column('profileVisibility')}::text[], ${column('playerId')}::uuid[],
        ${column('authMethodId')}::uuid[], ${logins.map(({ device }) => device?.id)}::uuid[],
        ${column('at')}::timestamptz[], ${column('rowHash')}::bytea[])
      AS request (
        ${sharedColumns}, email, username, display_name, profile_visibility, player_id, method_id, device_id, at, row_hash)),
    method AS (
      INSERT INTO auth_methods (id, player_id, auth_provider, issuer, provider_user_id, email, username, display_name,
                                is_primary, secret_hash, wallet_address, linked_at, last_used_at)
      SELECT method_id, player_id, auth_provider, issuer, provider_user_id, email, username, display_name, true,
             secret_hash, wallet_address, at, at
      FROM request ORDER BY auth_provider, issuer, provider_user_id
      ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING
      RETURNING id),
    login AS MATERIALIZED (SELECT * FROM request WHERE method_id IN (SELECT id FROM method)),
    player AS (
      INSERT INTO players (id, display_name, email, profile_visibility, created_at)
      SELECT player_id, display_name, email, profile_visibility, at FROM login
      RETURNING id, search_name, created_at),
    access AS (
      INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, search_name)
      SELECT ${tenantId}, id, created_at, created_at, search_name FROM player),
    counted AS (
      INSERT INTO tenant_player_counts AS known (tenant_id, players)
      SELECT ${tenantId}, count(*) FROM login HAVING count(*) > 0
      ON CONFLICT (tenant_id, auth_provider, shard) DO UPDATE SET players = known.players + excluded.players),
    shown AS (
      INSERT INTO tenant_sign_in_methods (tenant_id, auth_method_id, player_id, auth_provider, search_id, search_email,
                                          first_used_at)
      SELECT ${tenantId}, method_id, player_id, auth_provider, guildhall_search_form(provider_user_id),
             guildhall_search_form(nullif(email, provider_user_id)), at
      FROM login),
    ${rowsOfLogins(billing, sql`at`, sql`row_hash`)}
    SELECT player.id AS "playerId", CASE WHEN device_id IS NOT NULL THEN guildhall_add_first_device(
             player_id, device_id, device_fingerprint, platform, hardware_model, os_version, device_metadata, at) END
    FROM charged CROSS JOIN player JOIN login ON login.player_id = player.id`);
  const ids = new Set(created.map(({ playerId }) => playerId));
  return logins.map(({ playerId }) => ids.has(playerId));
}
