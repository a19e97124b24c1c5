import { unlessRefused, type Querier, type Scope } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { TokenUse } from '../refresh-tokens/index.ts';

export interface RefreshedSession {
  sessionId: string;
  playerId: string;
}

/**
 * Exchanges a refresh token for the next one in one statement, which is its own transaction. Returns undefined if the token cannot be
 * exchanged. The lock on the session row serializes it with other uses of the token, and with logout, ban and block. A statement that
 * exchanges nothing rolls back, so it is not billed.
 */
export function rotateToken(
  scope: Scope,
  tenantId: string,
  hash: Buffer,
  next: StoredRefreshToken,
): Promise<RefreshedSession | undefined> {
  const rotated = scope.row<RefreshedSession>(sql`
    WITH session AS MATERIALIZED (
      SELECT session.session_id, session.player_id,
             session.ended_at IS NULL AND session.tokens_revoked_at IS NULL AND player.is_active AS alive
      FROM refresh_tokens token
      JOIN login_sessions session ON session.tenant_id = token.tenant_id AND session.session_id = token.session_id
      JOIN players player ON player.id = session.player_id
      WHERE token.tenant_id = ${tenantId} AND token.token_hash = ${hash}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE refresh_tokens token SET used_at = clock_timestamp()
      FROM session
      WHERE session.alive AND token.tenant_id = ${tenantId} AND token.token_hash = ${hash}
        AND token.used_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING token.session_id),
    issued AS (
      INSERT INTO refresh_tokens (tenant_id, token_hash, session_id, expires_at)
      SELECT ${tenantId}, ${next.hash}, session_id, ${next.expiresAt} FROM used)
    SELECT (SELECT session_id FROM used) AS "sessionId", (SELECT player_id FROM session) AS "playerId",
           CASE WHEN NOT EXISTS (SELECT FROM used) THEN guildhall_refuse('not_rotated') END`);
  return unlessRefused('not_rotated', rotated);
}

/** Reads a refresh token, and whether the successor that the request derives is stored. Undefined if the token was never issued. */
export function findTokenUse(
  db: Querier,
  tenantId: string,
  hash: Buffer,
  successorHash: Buffer,
): Promise<(RefreshedSession & TokenUse) | undefined> {
  return db.row(sql`
    SELECT session.session_id AS "sessionId", session.player_id AS "playerId",
           session.ended_at IS NULL AND session.tokens_revoked_at IS NULL AND player.is_active AS "isAlive",
           extract(epoch FROM clock_timestamp() - token.used_at)::float8 AS "usedSecondsAgo",
           EXISTS (SELECT FROM refresh_tokens
                   WHERE tenant_id = ${tenantId} AND token_hash = ${successorHash} AND used_at IS NULL)
             AS "hasUnusedSuccessor"
    FROM refresh_tokens token
    JOIN login_sessions session ON session.tenant_id = token.tenant_id AND session.session_id = token.session_id
    JOIN players player ON player.id = session.player_id
    WHERE token.tenant_id = ${tenantId} AND token.token_hash = ${hash}`);
}

/** Revokes the refresh tokens of a session. Returns false if they were revoked before. */
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
 * Revokes the refresh tokens of all sessions of a player. The sessions stay open. The caller must have locked the player's row in an
 * earlier statement, so that this one sees the sessions of every sign-in that the lock waited for.
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

/** Deletes the tokens of a tenant that expired over a day ago, and returns their number. */
export function deleteExpiredTokens(db: Querier, tenantId: string): Promise<number> {
  return db.run(sql`
    DELETE FROM refresh_tokens WHERE tenant_id = ${tenantId} AND expires_at < now() - interval '1 day'`);
}
