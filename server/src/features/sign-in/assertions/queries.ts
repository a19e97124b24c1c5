import { changeInSteps } from '../../../database/change-in-steps.ts';
import type { Querier, Scope } from '../../../database/database.ts';
import { deleteExpired } from '../../../database/delete-expired.ts';
import { refusalOf } from '../../../database/errors.ts';
import { sql } from '../../../database/sql.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { TokenUse } from '../refresh-tokens/index.ts';
import type { AssertionSubject } from './sign-assertion.ts';

/** The player data in assertions, and the states that refuse an assertion. */
interface Subject {
  displayName: string | null;
  email: string | null;
  isActive: boolean;
  isBanned: boolean;
  /** Whether the session was revoked for a security reason. False if no session was asked for. */
  isSessionRevoked: boolean;
}

export function findSubject(
  db: Querier,
  tenantId: string,
  { playerId, sessionId }: { playerId: string; sessionId?: string },
): Promise<Subject | undefined> {
  const isSessionRevoked =
    sessionId === undefined
      ? sql`false`
      : sql`EXISTS (SELECT FROM login_sessions
                   WHERE tenant_id = ${tenantId} AND session_id = ${sessionId} AND tokens_revoked_at IS NOT NULL)`;
  return db.row(sql`
    SELECT player.display_name AS "displayName", player.email, player.is_active AS "isActive",
           coalesce(access.banned_until > now(), false) AS "isBanned", ${isSessionRevoked} AS "isSessionRevoked"
    FROM players player
    LEFT JOIN tenant_access access ON access.tenant_id = ${tenantId} AND access.player_id = player.id
    WHERE player.id = ${playerId}`);
}

interface NewThirdPartyToken extends AssertionSubject {
  familyId: string;
  hash: Buffer;
  expiresAt: string;
}

/**
 * Stores the first refresh token of a family. Returns false if the session has ended or its tokens were revoked. The lock on the session
 * row serializes it with exchanges and with logout.
 */
export function insertToken(db: Querier, token: NewThirdPartyToken): Promise<boolean> {
  return db.changes(sql`
    WITH session AS MATERIALIZED (
      SELECT session_id, player_id FROM login_sessions
      WHERE tenant_id = ${token.tenantId} AND session_id = ${token.sessionId} AND player_id = ${token.playerId}
        AND ended_at IS NULL AND tokens_revoked_at IS NULL
      FOR NO KEY UPDATE)
    INSERT INTO third_party_refresh_tokens
      (tenant_id, token_hash, family_id, session_id, player_id, audience, display_name, email, expires_at)
    SELECT ${token.tenantId}, ${token.hash}, ${token.familyId}, session_id, player_id, ${token.audience},
           ${token.displayName}, ${token.email}, ${token.expiresAt}
    FROM session`);
}

interface ThirdPartyToken extends AssertionSubject {
  familyId: string;
  isActive: boolean;
  isBanned: boolean;
}

const tokenColumns = sql`tenant_id AS "tenantId", family_id AS "familyId", session_id AS "sessionId", player_id AS "playerId",
           audience, is_active AS "isActive", is_banned AS "isBanned"`;

/** A refresh token. `alive` tells whether this audience may exchange it, apart from use and expiry. */
const found = (tenantId: string, { hash, audience }: { hash: Buffer; audience: string }) => sql`
      SELECT token.*, player.is_active, coalesce(access.banned_until > now(), false) AS is_banned,
             session.ended_at IS NULL AND session.tokens_revoked_at IS NULL AND token.revoked_at IS NULL
               AND player.is_active AND NOT coalesce(access.banned_until > now(), false)
               AND token.audience = ${audience} AS alive
      FROM third_party_refresh_tokens token
      JOIN login_sessions session ON session.tenant_id = token.tenant_id AND session.session_id = token.session_id
      JOIN players player ON player.id = token.player_id
      LEFT JOIN tenant_access access ON access.tenant_id = token.tenant_id AND access.player_id = token.player_id
      WHERE token.tenant_id = ${tenantId} AND token.token_hash = ${hash}`;

/**
 * Exchanges a refresh token for the next one in one statement, which is its own transaction. Returns undefined if the token cannot be
 * exchanged. The lock on the session row serializes it with other uses of the token, and with logout, ban and block. A statement that
 * exchanges nothing rolls back, so it is not billed. A used token keeps no name and address: a third party can use any number of tokens,
 * and the deletion of the player need not change them all. Without `coalesce`, a plan without statistics could read all unused tokens
 * of the tenant.
 */
export function rotateToken(
  scope: Scope,
  tenantId: string,
  old: { hash: Buffer; audience: string },
  next: StoredRefreshToken,
): Promise<ThirdPartyToken | undefined> {
  const rotated = scope.row<ThirdPartyToken>(sql`
    WITH found AS MATERIALIZED (${found(tenantId, old)}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE third_party_refresh_tokens token SET used_at = clock_timestamp(), display_name = NULL, email = NULL
      FROM found
      WHERE found.alive AND token.tenant_id = ${tenantId} AND token.token_hash = ${old.hash}
        AND coalesce(token.used_at, token.revoked_at) IS NULL AND token.expires_at > clock_timestamp()
      RETURNING found.*),
    issued AS (
      INSERT INTO third_party_refresh_tokens
        (tenant_id, token_hash, family_id, session_id, player_id, audience, display_name, email, expires_at)
      SELECT tenant_id, ${next.hash}, family_id, session_id, player_id, audience, display_name, email, ${next.expiresAt}
      FROM used)
    SELECT ${tokenColumns}, display_name AS "displayName", email, CASE WHEN used.token_hash IS NULL THEN guildhall_refuse('not_rotated') END
    FROM (SELECT) AS one LEFT JOIN used ON true`);
  return rotated.catch((error: unknown) => {
    if (refusalOf(error) === 'not_rotated') return undefined;
    throw error;
  });
}

/** Reads a refresh token, and whether the successor that the request derives is stored. Undefined if the token was never issued. */
export function findTokenUse(
  db: Querier,
  tenantId: string,
  old: { hash: Buffer; audience: string },
  successorHash: Buffer,
): Promise<(ThirdPartyToken & TokenUse) | undefined> {
  return db.row(sql`
    SELECT known.*, successor.display_name AS "displayName", successor.email, successor.token_hash IS NOT NULL AS "hasUnusedSuccessor"
    FROM (
      SELECT ${tokenColumns}, alive AS "isAlive", extract(epoch FROM clock_timestamp() - used_at)::float8 AS "usedSecondsAgo"
      FROM (${found(tenantId, old)}) AS found) AS known
    LEFT JOIN third_party_refresh_tokens successor
      ON successor.tenant_id = ${tenantId} AND successor.token_hash = ${successorHash}
        AND coalesce(successor.used_at, successor.revoked_at) IS NULL`);
}

/** Locks a session until the transaction ends. Exchanges of its tokens wait. */
export async function lockSession(db: Querier, tenantId: string, sessionId: string): Promise<void> {
  await db.rows(sql`
    SELECT FROM login_sessions WHERE tenant_id = ${tenantId} AND session_id = ${sessionId} FOR NO KEY UPDATE`);
}

/** Revokes the unused token of a family. The caller must hold the lock on the session. Returns false if it was revoked before. */
export function revokeFamily(
  db: Querier,
  { tenantId, playerId, familyId }: Pick<NewThirdPartyToken, 'tenantId' | 'playerId' | 'familyId'>,
): Promise<boolean> {
  return db.changes(sql`
    UPDATE third_party_refresh_tokens SET revoked_at = clock_timestamp()
    WHERE player_id = ${playerId} AND (tenant_id = ${tenantId}) IS TRUE AND family_id = ${familyId}
      AND used_at IS NULL AND revoked_at IS NULL`);
}

/**
 * Revokes the unused tokens of a player and erases the player's name and address in them. The caller has revoked the player's sessions
 * before, and uses the player's scope.
 */
export async function redactThirdPartyTokens(db: Querier, playerId: string): Promise<void> {
  await changeInSteps(async (limit) => ({
    rows: await db.run(sql`
      WITH alive AS MATERIALIZED (
        SELECT tenant_id, token_hash FROM third_party_refresh_tokens
        WHERE player_id = ${playerId} AND used_at IS NULL
          AND (revoked_at IS NULL OR display_name IS NOT NULL OR email IS NOT NULL)
        LIMIT ${limit})
      UPDATE third_party_refresh_tokens token
      SET revoked_at = coalesce(revoked_at, clock_timestamp()), display_name = NULL, email = NULL
      FROM alive WHERE token.tenant_id = alive.tenant_id AND token.token_hash = alive.token_hash`),
  }));
}

/** Deletes the tokens of a tenant that expired over a day ago, in steps: a third party can use any number of tokens. */
export const deleteExpiredThirdPartyTokens = (db: Querier, tenantId: string): Promise<void> =>
  deleteExpired(db, { table: sql`third_party_refresh_tokens`, key: sql`token_hash`, tenantId });
