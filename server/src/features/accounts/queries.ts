import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { StoredRefreshToken } from '../../security/refresh-tokens.ts';
import type { TokenUse } from '../refresh-tokens/index.ts';

/** A dashboard account, as its owner sees it. */
export interface Account {
  id: string;
  email: string;
  displayName: string | null;
  isPlatformAdmin: boolean;
  createdAt: string;
}

export interface NewAccount {
  id: string;
  email: string;
  passwordHash: string;
  displayName: string | null;
}

const columns = sql`
  id, email, display_name AS "displayName", is_platform_admin AS "isPlatformAdmin", created_at AS "createdAt"`;

/** Makes all that create accounts take turns until the transaction ends: exactly one of them finds none. */
export async function lockAccounts(db: Querier): Promise<void> {
  await db.rows(sql`SELECT pg_advisory_xact_lock(7118004)`);
}

export async function hasAccounts(db: Querier): Promise<boolean> {
  return (await db.row(sql`SELECT 1 FROM accounts LIMIT 1`)) !== undefined;
}

/** The new account, the very first as platform admin; undefined where its address is taken. */
export function insertAccount(db: Querier, account: NewAccount): Promise<Account | undefined> {
  return db.row(sql`
    INSERT INTO accounts (id, email, password_hash, display_name, is_platform_admin)
    VALUES (${account.id}, ${account.email}, ${account.passwordHash}, ${account.displayName},
            NOT EXISTS (SELECT FROM accounts))
    ON CONFLICT (email) DO NOTHING
    RETURNING ${columns}`);
}

export function findAccount(db: Querier, accountId: string): Promise<Account | undefined> {
  return db.row(sql`SELECT ${columns} FROM accounts WHERE id = ${accountId}`);
}

/** Whether an account runs the deployment. */
export async function isPlatformAdmin(db: Querier, accountId: string): Promise<boolean> {
  const row = await db.row(sql`SELECT FROM accounts WHERE id = ${accountId} AND is_platform_admin`);
  return row !== undefined;
}

export function findAccountByEmail(
  db: Querier,
  email: string,
): Promise<(Account & { passwordHash: string }) | undefined> {
  return db.row(sql`SELECT ${columns}, password_hash AS "passwordHash" FROM accounts WHERE email = ${email}`);
}

export interface NewSession {
  sessionId: string;
  accountId: string;
  refreshToken: { hash: Buffer; expiresAt: string };
}

export async function insertSession(db: Querier, session: NewSession): Promise<void> {
  await db.run(sql`
    WITH session AS (
      INSERT INTO account_sessions (id, account_id) VALUES (${session.sessionId}, ${session.accountId}) RETURNING id)
    INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at)
    SELECT ${session.refreshToken.hash}, id, ${session.refreshToken.expiresAt} FROM session`);
}

export interface RefreshedSession {
  sessionId: string;
  accountId: string;
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
      SELECT session.id, session.account_id, session.revoked_at IS NULL AS alive
      FROM account_refresh_tokens token
      JOIN account_sessions session ON session.id = token.session_id
      WHERE token.token_hash = ${hash}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE account_refresh_tokens token SET used_at = clock_timestamp()
      FROM session
      WHERE session.alive AND token.token_hash = ${hash}
        AND token.used_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING token.session_id, session.account_id),
    issued AS (
      INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at)
      SELECT ${next.hash}, session_id, ${next.expiresAt} FROM used)
    SELECT session_id AS "sessionId", account_id AS "accountId" FROM used`);
}

/** What is known about a refresh token, and about the successor that a request derives; undefined if it was never issued. */
export function findTokenUse(
  db: Querier,
  hash: Buffer,
  successorHash: Buffer,
): Promise<(RefreshedSession & TokenUse) | undefined> {
  return db.row(sql`
    SELECT session.id AS "sessionId", session.account_id AS "accountId", session.revoked_at IS NULL AS "isAlive",
           extract(epoch FROM clock_timestamp() - token.used_at)::float8 AS "usedSecondsAgo",
           EXISTS (SELECT FROM account_refresh_tokens WHERE token_hash = ${successorHash} AND used_at IS NULL)
             AS "hasUnusedSuccessor"
    FROM account_refresh_tokens token
    JOIN account_sessions session ON session.id = token.session_id
    WHERE token.token_hash = ${hash}`);
}

/** Ends the refreshing of a session. False where it had ended before, or never was. */
export async function revokeSession(db: Querier, sessionId: string): Promise<boolean> {
  const revoked = await db.run(sql`
    UPDATE account_sessions SET revoked_at = clock_timestamp() WHERE id = ${sessionId} AND revoked_at IS NULL`);
  return revoked === 1;
}

/** Those of some sessions that were ended by logout, or by the reuse of a refresh token. */
export async function listEndedSessions(db: Querier, sessionIds: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT id FROM account_sessions WHERE id = ANY(${sessionIds}::uuid[]) AND revoked_at IS NOT NULL`);
  return rows.map(({ id }) => id);
}

/** The session that a refresh token was issued for, whether or not it still works. */
export function findSessionOfToken(db: Querier, hash: Buffer): Promise<{ sessionId: string } | undefined> {
  return db.row(sql`
    SELECT session_id AS "sessionId" FROM account_refresh_tokens WHERE token_hash = ${hash}`);
}

/** Deletes the refresh tokens that expired over a day ago, and the sessions that have none left. */
export async function deleteExpiredAccountTokens(db: Querier): Promise<void> {
  await db.run(sql`DELETE FROM account_refresh_tokens WHERE expires_at < now() - interval '1 day'`);
  await db.run(sql`
    DELETE FROM account_sessions session
    WHERE created_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM account_refresh_tokens WHERE session_id = session.id)`);
}
