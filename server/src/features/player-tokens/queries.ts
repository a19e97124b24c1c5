import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';

export interface RotatedSession {
  sessionId: string;
  playerId: string;
}

/**
 * Exchanges one refresh token for the next in one statement. The lock on the session row orders it with other uses of
 * the token and with logout, ban and block; whoever comes second finds the token used or the session closed.
 * Where the token was used, has expired or was never issued in the tenant, the statement refuses itself with `not_rotated`.
 */
export async function rotateToken(
  db: Querier,
  tenantId: string,
  oldHash: Buffer,
  next: { hash: Buffer; expiresAt: string },
): Promise<RotatedSession> {
  const rotated = await db.row<RotatedSession>(sql`
    WITH session AS MATERIALIZED (
      SELECT session.session_id, session.player_id,
             session.ended_at IS NULL AND session.tokens_revoked_at IS NULL AND player.is_active AS alive
      FROM refresh_tokens token
      JOIN login_sessions session ON session.tenant_id = token.tenant_id AND session.session_id = token.session_id
      JOIN players player ON player.id = session.player_id
      WHERE token.tenant_id = ${tenantId} AND token.token_hash = ${oldHash}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE refresh_tokens token SET used_at = clock_timestamp()
      FROM session
      WHERE session.alive AND token.tenant_id = ${tenantId} AND token.token_hash = ${oldHash}
        AND token.used_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING token.session_id),
    issued AS (
      INSERT INTO refresh_tokens (tenant_id, token_hash, session_id, expires_at)
      SELECT ${tenantId}, ${next.hash}, session_id, ${next.expiresAt} FROM used)
    SELECT (SELECT session_id FROM used) AS "sessionId", (SELECT player_id FROM session) AS "playerId",
           CASE WHEN NOT EXISTS (SELECT FROM used) THEN guildhall_refuse('not_rotated') END`);
  return rotated!;
}

/** The session of a token that was used longer ago than a client's parallel retries explain. */
export function findReused(
  db: Querier,
  tenantId: string,
  hash: Buffer,
  graceSeconds: number,
): Promise<RotatedSession | undefined> {
  return db.row(sql`
    SELECT session.session_id AS "sessionId", session.player_id AS "playerId"
    FROM refresh_tokens token
    JOIN login_sessions session ON session.tenant_id = token.tenant_id AND session.session_id = token.session_id
    WHERE token.tenant_id = ${tenantId} AND token.token_hash = ${hash}
      AND token.used_at < clock_timestamp() - make_interval(secs => ${graceSeconds})`);
}

/** Ends the refreshing of one session. False where it had ended before. */
export async function revokeSessionTokens(
  db: Querier,
  tenantId: string,
  sessionId: string,
): Promise<boolean> {
  const revoked = await db.run(sql`
    UPDATE login_sessions SET tokens_revoked_at = clock_timestamp(), updated_at_db = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND session_id = ${sessionId} AND tokens_revoked_at IS NULL`);
  return revoked === 1;
}

/**
 * Ends the refreshing of all sessions of a player, which stay open. The caller holds the lock on the player's row, and took it in
 * a statement before this one: so this one sees the sessions of every sign-in that it had to wait for.
 */
export async function revokePlayerTokens(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    WITH alive AS MATERIALIZED (
      SELECT tenant_id, session_id FROM login_sessions
      WHERE player_id = ${playerId} AND ended_at IS NULL AND tokens_revoked_at IS NULL
      ORDER BY tenant_id, session_id
      FOR NO KEY UPDATE)
    UPDATE login_sessions session SET tokens_revoked_at = clock_timestamp(), updated_at_db = clock_timestamp()
    FROM alive WHERE session.tenant_id = alive.tenant_id AND session.session_id = alive.session_id`);
}

/** Deletes the tokens of a tenant that expired over a day ago, and returns how many. */
export function deleteExpiredTokens(db: Querier, tenantId: string): Promise<number> {
  return db.run(sql`
    DELETE FROM refresh_tokens WHERE tenant_id = ${tenantId} AND expires_at < now() - interval '1 day'`);
}
