import { EMPTY_GUID } from '../../../core/ids.ts';
import { changeInSteps } from '../../../database/change-in-steps.ts';
import type { Querier, Scope } from '../../../database/database.ts';
import { deleteExpired, deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { isUniqueViolation } from '../../../database/errors.ts';
import { empty, sql } from '../../../database/sql.ts';
import type { SessionTables } from '../refresh-tokens/index.ts';
import type { Provider } from '../../studio/tenants/index.ts';

/**
 * The tenant id of the player portal in the tables of codes, challenges and counters. No tenant has this id, so the same row-level
 * security policies apply (migration 0003).
 */
export const PORTAL_TENANT_ID = EMPTY_GUID;

export async function insertStartedLogin(db: Querier, stateHash: Buffer, expiresAt: string): Promise<void> {
  await db.run(sql`
    INSERT INTO store_a_portal_logins (state_hash, expires_at) VALUES (${stateHash}, ${expiresAt})`);
}

/**
 * Uses up the state of a sign-in and the nonce of its response. Returns false if the state was never issued, was used or has expired.
 * Also returns false if the nonce was used before, with any state.
 */
export async function finishStartedLogin(db: Querier, stateHash: Buffer, nonce: string): Promise<boolean> {
  try {
    return await db.changes(sql`
      UPDATE store_a_portal_logins SET response_nonce = ${nonce}
      WHERE state_hash = ${stateHash} AND response_nonce IS NULL AND expires_at > clock_timestamp()`);
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** A sign-in method of a provider whose user ids are the same in all tenants. */
export interface LinkedIdentity {
  provider: Provider;
  providerUserId: string;
}

/** The sign-in method of an identity and its active player. */
const linked = ({ provider, providerUserId }: LinkedIdentity) => sql`
      FROM auth_methods method
      JOIN players player ON player.id = method.player_id
      WHERE method.auth_provider = ${provider} AND method.issuer = '' AND method.provider_user_id = ${providerUserId}
        AND player.is_active`;

/** Finds the active player of an identity. */
export function findLinkedPlayer(
  db: Querier,
  identity: LinkedIdentity,
): Promise<{ playerId: string } | undefined> {
  return db.row(sql`SELECT player.id AS "playerId" ${linked(identity)}`);
}

/**
 * Stores a session of the active player of an identity. Returns undefined if there is no such player. The statement locks the player
 * and the method. A transaction that deactivates the player or removes the method waits for this lock, and then ends this session too.
 */
export function insertSession(
  db: Querier,
  identity: LinkedIdentity,
  { sessionId, refreshToken }: { sessionId: string; refreshToken: { hash: Buffer; expiresAt: string } },
): Promise<{ playerId: string } | undefined> {
  return db.row(sql`
    WITH linked AS MATERIALIZED (
      SELECT method.id AS method_id, player.id AS player_id ${linked(identity)}
      FOR SHARE OF player FOR NO KEY UPDATE OF method),
    method AS (
      UPDATE auth_methods method SET last_used_at = clock_timestamp() FROM linked WHERE method.id = linked.method_id),
    session AS (
      INSERT INTO portal_sessions (id, player_id, auth_method_id)
      SELECT ${sessionId}::uuid, player_id, method_id FROM linked),
    token AS (
      INSERT INTO portal_refresh_tokens (token_hash, session_id, expires_at)
      SELECT ${refreshToken.hash}, ${sessionId}::uuid, ${refreshToken.expiresAt}::timestamptz FROM linked)
    SELECT player_id AS "playerId" FROM linked`);
}

export const sessionTables: SessionTables = {
  sessions: sql`portal_sessions`,
  tokens: sql`portal_refresh_tokens`,
  ownerId: sql`player_id`,
  isAlive: sql`session.revoked_at IS NULL AND (SELECT is_active FROM players WHERE id = session.player_id)`,
  findSession: sql`guildhall_find_portal_session`,
};

/** A revocation for a security reason. It also reaches sessions that have logged out. */
const revocation = sql`revoked_at = coalesce(revoked_at, clock_timestamp()), has_logged_out = false`;
const isUnrevoked = sql`(revoked_at IS NULL OR has_logged_out)`;

/**
 * Revokes the refresh tokens of a session for a security reason, even after a logout. Returns false if they were revoked so before, or
 * there is no such session.
 */
export function revokeSession(db: Querier, sessionId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE portal_sessions SET ${revocation} WHERE id = ${sessionId} AND ${isUnrevoked}`);
}

/** Ends a session by a logout: revokes its refresh tokens. */
export async function endSession(db: Querier, sessionId: string): Promise<void> {
  await db.run(sql`
    UPDATE portal_sessions SET revoked_at = clock_timestamp(), has_logged_out = true
    WHERE id = ${sessionId} AND revoked_at IS NULL`);
}

/**
 * Revokes all portal sessions of a player, or those that one sign-in method opened, even after a logout. The caller must hold the lock
 * on the player: see {@link insertSession}. Throws busy.
 */
export async function revokePortalSessions(
  db: Querier,
  playerId: string,
  authMethodId?: string,
): Promise<void> {
  const ofMethod = authMethodId === undefined ? empty : sql`AND auth_method_id = ${authMethodId}`;
  await changeInSteps(async (limit) => ({
    rows: await db.run(sql`
      WITH reached AS MATERIALIZED (
        SELECT id FROM portal_sessions WHERE player_id = ${playerId} AND ${isUnrevoked} ${ofMethod}
        LIMIT ${limit}
        FOR NO KEY UPDATE)
      UPDATE portal_sessions session SET ${revocation} FROM reached WHERE session.id = reached.id`),
  }));
}

/**
 * Deletes refresh tokens that expired over a day ago, sessions without refresh tokens, and sign-ins that expired over a day ago. The
 * nonce of such a sign-in is too old to be accepted again. Each step is a transaction.
 */
export async function deleteExpiredPortalRows(scope: Scope): Promise<void> {
  await deleteExpired(scope, { table: sql`portal_refresh_tokens`, key: sql`token_hash` });
  await deleteInKeyOrder(scope, {
    table: sql`portal_sessions`,
    key: sql`id`,
    where: sql`
      created_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM portal_refresh_tokens WHERE session_id = portal_sessions.id OFFSET 0)`,
  });
  await deleteExpired(scope, { table: sql`store_a_portal_logins`, key: sql`state_hash` });
}
