import { changeInSteps } from '../../../database/change-in-steps.ts';
import { chargeUnits } from '../../../database/charges.ts';
import type { Querier } from '../../../database/database.ts';
import { deleteExpired } from '../../../database/delete-expired.ts';
import { empty, sql } from '../../../database/sql.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { TokenUse } from '../refresh-tokens/index.ts';

export interface RefreshedSession {
  sessionId: string;
  playerId: string;
}

/** A refresh token by its hash, and its successor. */
export interface Rotation {
  hash: Buffer;
  next: StoredRefreshToken;
}

/** Contested: another transaction, or another use in the batch, has locked the session of an unused token. */
export type RotationOutcome = RefreshedSession | 'refused' | 'contested';

/**
 * Exchanges each refresh token of a batch for the next one, in one statement that charges one unit for each exchange. The lock on the
 * session row serializes it with other uses of the token, and with logout, ban and block. With `skip` it leaves out locked sessions,
 * so that one of them does not delay the others. With `wait` it waits for them, which is for a single token only.
 */
export async function rotateTokens(
  db: Querier,
  billing: BillingContext,
  rotations: Rotation[],
  ifLocked: 'skip' | 'wait',
): Promise<RotationOutcome[]> {
  const { tenantId } = billing;
  const rows = await db.rows<{ sessionId: string | null; playerId: string; isContested: boolean }>(sql`
    WITH request AS MATERIALIZED (
      SELECT * FROM unnest(${rotations.map(({ hash }) => hash)}::bytea[],
                           ${rotations.map(({ next }) => next.hash)}::bytea[],
                           ${rotations.map(({ next }) => next.expiresAt)}::timestamptz[])
        WITH ORDINALITY AS request (token_hash, next_hash, next_expires_at, number)),
    unused AS MATERIALIZED (
      SELECT request.*, token.session_id
      FROM request CROSS JOIN LATERAL (
        SELECT session_id FROM refresh_tokens
        WHERE tenant_id = ${tenantId} AND token_hash = request.token_hash
          AND used_at IS NULL AND expires_at > clock_timestamp() OFFSET 0) token),
    locked AS MATERIALIZED (
      SELECT first_use.*, session.player_id, session.is_alive AND player.is_active AS is_alive
      FROM (SELECT DISTINCT ON (session_id) * FROM unused ORDER BY session_id, number) first_use
      CROSS JOIN LATERAL (
        SELECT player_id, ended_at IS NULL AND tokens_revoked_at IS NULL AS is_alive FROM login_sessions
        WHERE tenant_id = ${tenantId} AND session_id = first_use.session_id
        FOR NO KEY UPDATE ${ifLocked === 'skip' ? sql`SKIP LOCKED` : empty}) session
      CROSS JOIN LATERAL (SELECT is_active FROM players WHERE id = session.player_id OFFSET 0) player),
    -- All of these rows exist. ON CONFLICT finds each by its key. For an array of keys, PostgreSQL 15 and 16 may read all tokens of
    -- the tenant.
    used AS (
      INSERT INTO refresh_tokens AS token (tenant_id, token_hash, session_id, expires_at, used_at)
      SELECT ${tenantId}, token_hash, session_id, clock_timestamp(), clock_timestamp() FROM locked WHERE is_alive
      ON CONFLICT (tenant_id, token_hash) DO UPDATE SET used_at = excluded.used_at
      WHERE token.used_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING token_hash),
    issued AS (
      INSERT INTO refresh_tokens (tenant_id, token_hash, session_id, expires_at)
      SELECT ${tenantId}, next_hash, session_id, next_expires_at FROM locked JOIN used USING (token_hash)),
    charged AS MATERIALIZED (${chargeUnits(billing, sql`(SELECT count(*) FROM used)`)})
    SELECT CASE WHEN used.token_hash IS NOT NULL THEN locked.session_id END AS "sessionId", locked.player_id AS "playerId",
           unused.number IS NOT NULL AND locked.number IS NULL AS "isContested"
    FROM charged CROSS JOIN request
    LEFT JOIN unused USING (number) LEFT JOIN locked USING (number)
    LEFT JOIN used ON used.token_hash = locked.token_hash
    ORDER BY number`);
  return rows.map(({ sessionId, playerId, isContested }) => {
    if (sessionId !== null) return { sessionId, playerId };
    return isContested ? 'contested' : 'refused';
  });
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

/** The player of an access token, and the states of the player and the session that refuse the token. */
interface TokenPlayer {
  displayName: string | null;
  tenantRole: string;
  isActive: boolean;
  isBanned: boolean;
  /** Whether the session was revoked for a security reason. */
  isSessionRevoked: boolean;
  hasSessionEnded: boolean;
}

export function findTokenPlayer(
  db: Querier,
  tenantId: string,
  { playerId, sessionId }: { playerId: string; sessionId: string },
): Promise<TokenPlayer | undefined> {
  return db.row(sql`
    SELECT player.display_name AS "displayName", access.tenant_role AS "tenantRole", player.is_active AS "isActive",
           coalesce(access.banned_until > now(), false) AS "isBanned",
           session.tokens_revoked_at IS NOT NULL AS "isSessionRevoked", session.ended_at IS NOT NULL AS "hasSessionEnded"
    FROM players player
    JOIN tenant_access access ON access.tenant_id = ${tenantId} AND access.player_id = player.id
    JOIN login_sessions session ON session.tenant_id = ${tenantId} AND session.session_id = ${sessionId}
    WHERE player.id = ${playerId}`);
}

/** Revokes the refresh tokens of a session. Returns false if they were revoked before. */
export function revokeSessionTokens(db: Querier, tenantId: string, sessionId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE login_sessions SET tokens_revoked_at = clock_timestamp(), updated_at_db = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND session_id = ${sessionId} AND tokens_revoked_at IS NULL`);
}

/**
 * Revokes the refresh tokens of all sessions of a player. The sessions stay open. The caller must have locked the player's row in an
 * earlier statement, so that this one sees the sessions of every sign-in that the lock waited for.
 */
export async function revokePlayerTokens(db: Querier, playerId: string): Promise<void> {
  await changeInSteps(async (limit) => ({
    rows: await db.run(sql`
      WITH alive AS MATERIALIZED (
        SELECT tenant_id, session_id FROM login_sessions
        WHERE player_id = ${playerId} AND ended_at IS NULL AND tokens_revoked_at IS NULL
        ORDER BY tenant_id, session_id
        LIMIT ${limit}
        FOR NO KEY UPDATE)
      UPDATE login_sessions session SET tokens_revoked_at = clock_timestamp(), updated_at_db = clock_timestamp()
      FROM alive WHERE session.tenant_id = alive.tenant_id AND session.session_id = alive.session_id`),
  }));
}

/** Deletes the tokens of a tenant that expired over a day ago, in steps. */
export const deleteExpiredTokens = (db: Querier, tenantId: string): Promise<void> =>
  deleteExpired(db, { table: sql`refresh_tokens`, key: sql`token_hash`, tenantId });
