import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { Origin } from '../../../core/author.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { TokenUse } from '../../sign-in/refresh-tokens/index.ts';

/** A dashboard account, as its owner sees it. */
export interface Account {
  id: string;
  email: string;
  displayName: string | null;
  isPlatformAdmin: boolean;
  /** Whether somebody has shown that they read the mail of its address. */
  emailVerified: boolean;
  /** Whether a login asks for a second factor. */
  totpEnabled: boolean;
  createdAt: string;
}

export interface NewAccount {
  id: string;
  email: string;
  passwordHash: string;
  displayName: string | null;
  isPlatformAdmin: boolean;
  emailVerified: boolean;
}

/** With its password hash, which shows whether the password has changed since it was compared. */
export type AccountWithPassword = Account & { passwordHash: string };

const columns = sql`
  id, email, display_name AS "displayName", is_platform_admin AS "isPlatformAdmin",
  email_verified_at IS NOT NULL AS "emailVerified",
  EXISTS (SELECT FROM account_totp totp
          WHERE totp.account_id = accounts.id AND totp.confirmed_at IS NOT NULL) AS "totpEnabled",
  created_at AS "createdAt"`;
const withPassword = sql`${columns}, password_hash AS "passwordHash"`;

/** Makes all that may create the first administrator take turns until the transaction ends. */
export async function lockAccounts(db: Querier): Promise<void> {
  await db.rows(sql`SELECT pg_advisory_xact_lock(7118004)`);
}

export async function hasAccounts(db: Querier): Promise<boolean> {
  return (await db.row(sql`SELECT WHERE guildhall_has_accounts()`)) !== undefined;
}

export async function hasPlatformAdmin(db: Querier): Promise<boolean> {
  return (await db.row(sql`SELECT WHERE guildhall_has_platform_admin()`)) !== undefined;
}

/** The new account; undefined if its address is taken. */
export function insertAccount(db: Querier, account: NewAccount): Promise<AccountWithPassword | undefined> {
  return db.row(sql`
    INSERT INTO accounts (id, email, password_hash, display_name, is_platform_admin, email_verified_at)
    VALUES (${account.id}, ${account.email}, ${account.passwordHash}, ${account.displayName},
            ${account.isPlatformAdmin}, CASE WHEN ${account.emailVerified}::boolean THEN now() END)
    ON CONFLICT (email) DO NOTHING
    RETURNING ${withPassword}`);
}

/** An account with its password hash. */
export function findAccountWithPassword(
  db: Querier,
  accountId: string,
): Promise<AccountWithPassword | undefined> {
  return db.row(sql`SELECT ${withPassword} FROM accounts WHERE id = ${accountId}`);
}

/**
 * The same, locked until the transaction ends. All that change how an account proves itself lock it before anything else,
 * so that none waits for another in a circle.
 */
export function lockAccount(db: Querier, accountId: string): Promise<AccountWithPassword | undefined> {
  return db.row(sql`SELECT ${withPassword} FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
}

export async function setPassword(db: Querier, accountId: string, passwordHash: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET password_hash = ${passwordHash} WHERE id = ${accountId}`);
}

/** False if the address was verified before. */
export async function markVerified(db: Querier, accountId: string): Promise<boolean> {
  const marked = await db.run(sql`
    UPDATE accounts SET email_verified_at = now() WHERE id = ${accountId} AND email_verified_at IS NULL`);
  return marked === 1;
}

/** False if the account was a platform admin before. */
export async function promote(db: Querier, accountId: string): Promise<boolean> {
  const promoted = await db.run(sql`
    UPDATE accounts SET is_platform_admin = true WHERE id = ${accountId} AND NOT is_platform_admin`);
  return promoted === 1;
}

export function findAccount(db: Querier, accountId: string): Promise<Account | undefined> {
  return db.row(sql`SELECT ${columns} FROM accounts WHERE id = ${accountId}`);
}

/** Whether an account runs the deployment. */
export async function isPlatformAdmin(db: Querier, accountId: string): Promise<boolean> {
  const row = await db.row(sql`SELECT FROM accounts WHERE id = ${accountId} AND is_platform_admin`);
  return row !== undefined;
}

export function findAccountByEmail(db: Querier, email: string): Promise<AccountWithPassword | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_account(${email})`);
}

export interface NewSession {
  sessionId: string;
  account: AccountWithPassword;
  origin: Origin;
  refreshToken: StoredRefreshToken;
}

/** False if the password has changed since the account was read: a login that meets a new password half-way fails. */
export async function insertSession(db: Querier, session: NewSession): Promise<boolean> {
  const { account, origin } = session;
  const inserted = await db.run(sql`
    WITH account AS (
      SELECT id FROM accounts WHERE id = ${account.id} AND password_hash = ${account.passwordHash} FOR SHARE),
    session AS (
      INSERT INTO account_sessions (id, account_id, ip_address, user_agent)
      SELECT ${session.sessionId}, id, ${origin.ip}, ${origin.userAgent ?? null} FROM account
      RETURNING id)
    INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at)
    SELECT ${session.refreshToken.hash}, id, ${session.refreshToken.expiresAt} FROM session`);
  return inserted === 1;
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

/** Notes when a session was refreshed last, and from where. */
export async function noteUse(db: Querier, sessionId: string, origin: Origin): Promise<void> {
  await db.run(sql`
    UPDATE account_sessions
    SET last_used_at = clock_timestamp(), ip_address = ${origin.ip}, user_agent = ${origin.userAgent ?? null}
    WHERE id = ${sessionId}`);
}

/** A session that can be refreshed, as its owner sees it. */
export interface AccountSession {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  ipAddress: string | null;
  userAgent: string | null;
}

const isAlive = (accountId: string): Sql => sql`
  session.account_id = ${accountId} AND session.revoked_at IS NULL
  AND EXISTS (SELECT FROM account_refresh_tokens token
              WHERE token.session_id = session.id AND token.used_at IS NULL AND token.expires_at > now())`;

/** Those used last come first. */
export function listSessions(
  db: Querier,
  accountId: string,
  { limit, offset }: PageRequest,
): Promise<AccountSession[]> {
  return db.rows(sql`
    SELECT id, created_at AS "createdAt", last_used_at AS "lastUsedAt", ip_address AS "ipAddress",
           user_agent AS "userAgent"
    FROM account_sessions session WHERE ${isAlive(accountId)}
    ORDER BY last_used_at DESC, id LIMIT ${limit} OFFSET ${offset}`);
}

export function countSessions(db: Querier, accountId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM account_sessions session WHERE ${isAlive(accountId)}`);
}

/** Whether an account has, or had, a session. */
export async function hasSession(db: Querier, accountId: string, sessionId: string): Promise<boolean> {
  const row = await db.row(sql`
    SELECT FROM account_sessions WHERE id = ${sessionId} AND account_id = ${accountId}`);
  return row !== undefined;
}

/** Whether a session was opened within so many seconds, and has not ended. */
export async function isNewSession(db: Querier, sessionId: string, seconds: number): Promise<boolean> {
  const row = await db.row(sql`
    SELECT FROM account_sessions
    WHERE id = ${sessionId} AND revoked_at IS NULL AND created_at > now() - make_interval(secs => ${seconds})`);
  return row !== undefined;
}

/** Ends the refreshing of all sessions of an account, but for one. Returns how many. */
export function revokeSessions(db: Querier, accountId: string, exceptSessionId?: string): Promise<number> {
  return db.run(sql`
    UPDATE account_sessions SET revoked_at = clock_timestamp()
    WHERE account_id = ${accountId} AND revoked_at IS NULL AND id IS DISTINCT FROM ${exceptSessionId ?? null}::uuid`);
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
    SELECT id FROM guildhall_ended_account_sessions(${sessionIds}::uuid[]) AS id`);
  return rows.map(({ id }) => id);
}

/** The session that a refresh token was issued for, whether or not it still works. */
export function findSessionOfToken(db: Querier, hash: Buffer): Promise<RefreshedSession | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_account_session(${hash})`);
}

/** Deletes the tokens that expired over a day ago, the sessions that have none left, and enrolments nobody finished. */
export async function deleteExpiredAccountTokens(db: Querier): Promise<void> {
  await db.run(sql`DELETE FROM account_refresh_tokens WHERE expires_at < now() - interval '1 day'`);
  await db.run(sql`
    DELETE FROM account_sessions session
    WHERE created_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM account_refresh_tokens WHERE session_id = session.id)`);
  await db.run(sql`DELETE FROM account_tokens WHERE expires_at < now() - interval '1 day'`);
  await db.run(sql`
    DELETE FROM account_totp WHERE confirmed_at IS NULL AND created_at < now() - interval '1 day'`);
}
