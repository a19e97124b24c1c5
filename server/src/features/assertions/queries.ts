import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AssertionSubject } from './sign-assertion.ts';

/** A player as assertions show them, and what forbids to make one. */
export interface Subject {
  displayName: string | null;
  email: string | null;
  isActive: boolean;
  isBanned: boolean;
}

export function findSubject(db: Querier, tenantId: string, playerId: string): Promise<Subject | undefined> {
  return db.row(sql`
    SELECT player.display_name AS "displayName", player.email, player.is_active AS "isActive",
           coalesce(access.banned_until > now(), false) AS "isBanned"
    FROM players player
    LEFT JOIN tenant_access access ON access.tenant_id = ${tenantId} AND access.player_id = player.id
    WHERE player.id = ${playerId}`);
}

export interface NewThirdPartyToken extends AssertionSubject {
  familyId: string;
  hash: Buffer;
  expiresAt: string;
}

/**
 * Stores the first refresh token of a family. False where the session has ended or its tokens were revoked: its row is the
 * lock, as for every exchange, so whatever is in flight comes before or after.
 */
export async function insertToken(db: Querier, token: NewThirdPartyToken): Promise<boolean> {
  const stored = await db.run(sql`
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
  return stored === 1;
}

export interface RotatedToken extends AssertionSubject {
  familyId: string;
  isActive: boolean;
  isBanned: boolean;
  /** Whether the old token was still good for this audience, so that the new one was stored. */
  rotated: boolean;
  /** Whether the old token was used longer ago than a client's parallel retries explain. */
  reused: boolean;
}

/**
 * Exchanges one refresh token for the next in one statement. The lock on the session row orders it with other uses of the
 * token and with logout, ban and block; whoever comes second finds the token used or the session closed. For another
 * audience the token stays as it is. Undefined where it was never issued in the tenant.
 */
export function rotateToken(
  db: Querier,
  tenantId: string,
  old: { hash: Buffer; audience: string },
  next: { hash: Buffer; expiresAt: string },
  graceSeconds: number,
): Promise<RotatedToken | undefined> {
  return db.row(sql`
    WITH found AS MATERIALIZED (
      SELECT token.*, player.is_active, coalesce(access.banned_until > now(), false) AS is_banned,
             session.ended_at IS NULL AND session.tokens_revoked_at IS NULL AS alive
      FROM third_party_refresh_tokens token
      JOIN login_sessions session ON session.tenant_id = token.tenant_id AND session.session_id = token.session_id
      JOIN players player ON player.id = token.player_id
      LEFT JOIN tenant_access access ON access.tenant_id = token.tenant_id AND access.player_id = token.player_id
      WHERE token.tenant_id = ${tenantId} AND token.token_hash = ${old.hash}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE third_party_refresh_tokens token SET used_at = clock_timestamp()
      FROM found
      WHERE found.alive AND found.is_active AND NOT found.is_banned AND found.audience = ${old.audience}
        AND token.tenant_id = ${tenantId} AND token.token_hash = ${old.hash}
        AND token.used_at IS NULL AND token.revoked_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING token.*),
    issued AS (
      INSERT INTO third_party_refresh_tokens
        (tenant_id, token_hash, family_id, session_id, player_id, audience, display_name, email, expires_at)
      SELECT tenant_id, ${next.hash}, family_id, session_id, player_id, audience, display_name, email, ${next.expiresAt}
      FROM used)
    SELECT tenant_id AS "tenantId", family_id AS "familyId", session_id AS "sessionId", player_id AS "playerId", audience,
           display_name AS "displayName", email, is_active AS "isActive", is_banned AS "isBanned",
           EXISTS (SELECT FROM used) AS rotated,
           coalesce(used_at < clock_timestamp() - make_interval(secs => ${graceSeconds}), false) AS reused
    FROM found`);
}

/** Locks a session until the transaction ends, so that no exchange of its tokens is under way. */
export async function lockSession(db: Querier, tenantId: string, sessionId: string): Promise<void> {
  await db.rows(sql`
    SELECT FROM login_sessions WHERE tenant_id = ${tenantId} AND session_id = ${sessionId} FOR NO KEY UPDATE`);
}

/** Revokes all tokens of a family, whose session the caller has locked. False where they were before. */
export async function revokeFamily(db: Querier, tenantId: string, familyId: string): Promise<boolean> {
  const revoked = await db.run(sql`
    UPDATE third_party_refresh_tokens SET revoked_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND family_id = ${familyId} AND revoked_at IS NULL`);
  return revoked > 0;
}

/**
 * Revokes all tokens of a player, whose sessions the caller has revoked before, and takes out of them what they say of the
 * player. In the player's own scope.
 */
export async function redactThirdPartyTokens(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    UPDATE third_party_refresh_tokens
    SET revoked_at = coalesce(revoked_at, clock_timestamp()), display_name = NULL, email = NULL
    WHERE player_id = ${playerId}`);
}

/** Deletes the tokens of a tenant that expired over a day ago. */
export async function deleteExpiredThirdPartyTokens(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`
    DELETE FROM third_party_refresh_tokens
    WHERE tenant_id = ${tenantId} AND expires_at < now() - interval '1 day'`);
}
