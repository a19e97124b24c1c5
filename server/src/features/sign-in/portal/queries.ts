import { isUniqueViolation, type Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { TokenUse } from '../refresh-tokens/index.ts';
import type { Provider } from '../../studio/tenants/index.ts';

export async function insertStartedLogin(db: Querier, stateHash: Buffer, expiresAt: string): Promise<void> {
  await db.run(sql`
    INSERT INTO store_a_portal_logins (state_hash, expires_at) VALUES (${stateHash}, ${expiresAt})`);
}

/**
 * Uses up the state of a sign-in together with the nonce of its answer. False where the state was never issued, is used or has
 * expired, or where the nonce has come before, with whatever state.
 */
export async function finishStartedLogin(db: Querier, stateHash: Buffer, nonce: string): Promise<boolean> {
  try {
    const finished = await db.run(sql`
      UPDATE store_a_portal_logins SET response_nonce = ${nonce}
      WHERE state_hash = ${stateHash} AND response_nonce IS NULL AND expires_at > clock_timestamp()`);
    return finished === 1;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** A sign-in method of a provider that is one for all tenants. */
export interface LinkedIdentity {
  provider: Provider;
  providerUserId: string;
}

/** The sign-in method of an identity, and its player where they are active. */
const linked = ({ provider, providerUserId }: LinkedIdentity) => sql`
      FROM auth_methods method
      JOIN players player ON player.id = method.player_id
      WHERE method.auth_provider = ${provider} AND method.issuer = '' AND method.provider_user_id = ${providerUserId}
        AND player.is_active`;

/** Whether an identity is linked to an active player. */
export async function hasLinkedPlayer(db: Querier, identity: LinkedIdentity): Promise<boolean> {
  return (await db.row(sql`SELECT ${linked(identity)}`)) !== undefined;
}

/**
 * Stores a session of the active player that an identity is linked to; undefined where there is none. The player is locked
 * against being closed meanwhile, and the method against being removed: whoever does that, and ends their sessions in a later
 * statement, ends this one too.
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

export interface RefreshedSession {
  sessionId: string;
  playerId: string;
}

/**
 * Exchanges one refresh token for the next in one statement; undefined if it cannot be exchanged. The lock on the session row
 * orders it with other uses of the token and with logout: the second one finds the token used or the session revoked.
 */
export function rotateToken(
  db: Querier,
  hash: Buffer,
  next: StoredRefreshToken,
): Promise<RefreshedSession | undefined> {
  return db.row(sql`
    WITH session AS MATERIALIZED (
      SELECT session.id, session.player_id, session.revoked_at IS NULL AND player.is_active AS alive
      FROM portal_refresh_tokens token
      JOIN portal_sessions session ON session.id = token.session_id
      JOIN players player ON player.id = session.player_id
      WHERE token.token_hash = ${hash}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE portal_refresh_tokens token SET used_at = clock_timestamp()
      FROM session
      WHERE session.alive AND token.token_hash = ${hash}
        AND token.used_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING token.session_id, session.player_id),
    issued AS (
      INSERT INTO portal_refresh_tokens (token_hash, session_id, expires_at)
      SELECT ${next.hash}, session_id, ${next.expiresAt} FROM used)
    SELECT session_id AS "sessionId", player_id AS "playerId" FROM used`);
}

/** What is known about a refresh token, and about the successor that a request derives; undefined if it was never issued. */
export function findTokenUse(
  db: Querier,
  hash: Buffer,
  successorHash: Buffer,
): Promise<(RefreshedSession & TokenUse) | undefined> {
  return db.row(sql`
    SELECT session.id AS "sessionId", session.player_id AS "playerId", session.revoked_at IS NULL AND player.is_active AS "isAlive",
           extract(epoch FROM clock_timestamp() - token.used_at)::float8 AS "usedSecondsAgo",
           EXISTS (SELECT FROM portal_refresh_tokens WHERE token_hash = ${successorHash} AND used_at IS NULL)
             AS "hasUnusedSuccessor"
    FROM portal_refresh_tokens token
    JOIN portal_sessions session ON session.id = token.session_id
    JOIN players player ON player.id = session.player_id
    WHERE token.token_hash = ${hash}`);
}

/** Ends the refreshing of a session. False where it had ended before, or never was. */
export async function revokeSession(db: Querier, sessionId: string): Promise<boolean> {
  const revoked = await db.run(sql`
    UPDATE portal_sessions SET revoked_at = clock_timestamp() WHERE id = ${sessionId} AND revoked_at IS NULL`);
  return revoked === 1;
}

/** Ends the refreshing of all sessions of a player, whose profile the caller has locked: see {@link insertSession}. */
export async function revokePortalSessions(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    UPDATE portal_sessions SET revoked_at = clock_timestamp() WHERE player_id = ${playerId} AND revoked_at IS NULL`);
}

/** The session that a refresh token was issued for, whether or not it still works. */
export function findSessionOfToken(db: Querier, hash: Buffer): Promise<RefreshedSession | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_portal_session(${hash})`);
}

/**
 * Deletes the refresh tokens that expired over a day ago, the sessions that have none left, and the sign-ins that were started
 * over a day ago: by then no nonce of theirs is recent enough to come again.
 */
export async function deleteExpiredPortalRows(db: Querier): Promise<void> {
  await db.run(sql`DELETE FROM portal_refresh_tokens WHERE expires_at < now() - interval '1 day'`);
  await db.run(sql`
    DELETE FROM portal_sessions session
    WHERE created_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM portal_refresh_tokens WHERE session_id = session.id)`);
  await db.run(sql`DELETE FROM store_a_portal_logins WHERE expires_at < now() - interval '1 day'`);
}
