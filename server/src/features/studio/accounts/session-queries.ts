import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { Origin } from '../../../core/author.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { SessionTables } from '../../sign-in/refresh-tokens/index.ts';
import { hasTotp, type AccountWithPassword } from './queries.ts';

export interface NewSession {
  sessionId: string;
  account: AccountWithPassword;
  origin: Origin;
  refreshToken: StoredRefreshToken;
}

/**
 * Returns false if the password or the second factor has changed since the account was read. The caller must have locked the account in
 * an earlier statement, so that a login that overlaps with such a change fails.
 */
export function insertSession(db: Querier, session: NewSession): Promise<boolean> {
  const { account, origin } = session;
  return db.changes(sql`
    WITH account AS (
      SELECT id FROM accounts
      WHERE id = ${account.id} AND password_hash = ${account.passwordHash} AND ${hasTotp} = ${account.totpEnabled}),
    session AS (
      INSERT INTO account_sessions (id, account_id, ip_address, user_agent)
      SELECT ${session.sessionId}, id, ${origin.ip}, ${origin.userAgent ?? null} FROM account
      RETURNING id)
    INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at)
    SELECT ${session.refreshToken.hash}, id, ${session.refreshToken.expiresAt} FROM session`);
}

/** How many open sessions an account has. A list, and a new password that ends all of them, take as long as there are sessions. */
const MAX_SESSIONS = 1_000;

/**
 * Ends the open sessions over the limit, the least recently used first. Deletes nothing: the account is locked, and a session can have
 * any number of used tokens.
 */
export async function endSessionsOverLimit(db: Querier, accountId: string): Promise<void> {
  await db.run(sql`
    UPDATE account_sessions SET revoked_at = clock_timestamp()
    WHERE revoked_at IS NULL AND id = ANY (ARRAY(
      SELECT id FROM account_sessions WHERE account_id = ${accountId} AND revoked_at IS NULL
      ORDER BY last_used_at DESC, id DESC OFFSET ${MAX_SESSIONS}))`);
}

export const sessionTables: SessionTables = {
  sessions: sql`account_sessions`,
  tokens: sql`account_refresh_tokens`,
  ownerId: sql`account_id`,
  isAlive: sql`session.revoked_at IS NULL`,
  findSession: sql`guildhall_find_account_session`,
};

/** Stores the time, IP address and user agent of the last refresh of a session. */
export async function updateLastUse(db: Querier, sessionId: string, origin: Origin): Promise<void> {
  await db.run(sql`
    UPDATE account_sessions
    SET last_used_at = clock_timestamp(), ip_address = ${origin.ip}, user_agent = ${origin.userAgent ?? null}
    WHERE id = ${sessionId}`);
}

/** A session that can be refreshed, as the API returns it. */
export interface AccountSession {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  ipAddress: string | null;
  userAgent: string | null;
}

const canBeRefreshed = (accountId: string): Sql => sql`
  session.account_id = ${accountId} AND session.revoked_at IS NULL
  AND EXISTS (SELECT FROM account_refresh_tokens token
              WHERE token.session_id = session.id AND token.used_at IS NULL AND token.expires_at > now())`;

/** Lists the sessions of an account that can be refreshed, most recently used first. */
export function listSessions(
  db: Querier,
  accountId: string,
  { limit, offset }: PageRequest,
): Promise<AccountSession[]> {
  return db.rows(sql`
    SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", ip_address AS "ipAddress",
           user_agent AS "userAgent"
    FROM account_sessions session WHERE ${canBeRefreshed(accountId)}
    ORDER BY last_used_at DESC, id LIMIT ${limit} OFFSET ${offset}`);
}

export function countSessions(db: Querier, accountId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM account_sessions session WHERE ${canBeRefreshed(accountId)}`);
}

/** Returns whether a session belongs to an account. The session can have ended. */
export function hasSession(db: Querier, accountId: string, sessionId: string): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM account_sessions WHERE id = ${sessionId} AND account_id = ${accountId}`);
}

/** Returns whether a session is younger than `seconds` and has not ended. */
export function isNewSession(db: Querier, sessionId: string, seconds: number): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM account_sessions
    WHERE id = ${sessionId} AND revoked_at IS NULL AND created_at > now() - make_interval(secs => ${seconds})`);
}

/** Revokes all sessions of an account, except one if it is given. Returns the number of revoked sessions. */
export function revokeSessions(db: Querier, accountId: string, exceptSessionId?: string): Promise<number> {
  return db.run(sql`
    UPDATE account_sessions SET revoked_at = clock_timestamp()
    WHERE account_id = ${accountId} AND revoked_at IS NULL AND id IS DISTINCT FROM ${exceptSessionId ?? null}::uuid`);
}

/** Revokes a session. Returns false if it is unknown or already revoked. */
export function revokeSession(db: Querier, sessionId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE account_sessions SET revoked_at = clock_timestamp() WHERE id = ${sessionId} AND revoked_at IS NULL`);
}

/** Returns the revoked sessions among the given ones. */
export async function listEndedSessions(db: Querier, sessionIds: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT id FROM guildhall_ended_account_sessions(${sessionIds}::uuid[]) AS id`);
  return rows.map(({ id }) => id);
}
