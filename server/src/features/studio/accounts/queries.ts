import type { Querier, Scope } from '../../../database/database.ts';
import { deleteExpired, deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { sql } from '../../../database/sql.ts';

/** A console account, as the API returns it. */
export interface Account {
  id: string;
  email: string;
  displayName: string | null;
  isPlatformAdmin: boolean;
  /** Whether the user has proved access to the mailbox of the address. */
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

/** An account with its password hash. The hash reveals whether the password has changed since it was checked. */
export type AccountWithPassword = Account & { passwordHash: string };

/** Whether a row of `accounts` has a second factor. */
export const hasTotp = sql`
  EXISTS (SELECT FROM account_totp totp WHERE totp.account_id = accounts.id AND totp.confirmed_at IS NOT NULL)`;
const columns = sql`
  id, email, display_name AS "displayName", is_platform_admin AS "isPlatformAdmin",
  email_verified_at IS NOT NULL AS "emailVerified", ${hasTotp} AS "totpEnabled",
  created_at AS "createdAt"`;
const withPassword = sql`${columns}, password_hash AS "passwordHash"`;

export function hasAccounts(db: Querier): Promise<boolean> {
  return db.exists(sql`SELECT WHERE guildhall_has_accounts()`);
}

export function hasPlatformAdmin(db: Querier): Promise<boolean> {
  return db.exists(sql`SELECT WHERE guildhall_has_platform_admin()`);
}

/** Returns the new account, or undefined if another account has the address. */
export function insertAccount(db: Querier, account: NewAccount): Promise<AccountWithPassword | undefined> {
  return db.row(sql`
    INSERT INTO accounts (id, email, password_hash, display_name, is_platform_admin, email_verified_at)
    VALUES (${account.id}, ${account.email}, ${account.passwordHash}, ${account.displayName},
            ${account.isPlatformAdmin}, CASE WHEN ${account.emailVerified}::boolean THEN now() END)
    ON CONFLICT (email) DO NOTHING
    RETURNING ${withPassword}`);
}

/** Finds an account with its password hash. */
export function findAccountWithPassword(
  db: Querier,
  accountId: string,
): Promise<AccountWithPassword | undefined> {
  return db.row(sql`SELECT ${withPassword} FROM accounts WHERE id = ${accountId}`);
}

/**
 * Finds an account and locks its row until the transaction ends. Each transaction that changes how an account signs in takes
 * this lock first. The fixed order prevents deadlocks.
 */
export function lockAccount(db: Querier, accountId: string): Promise<AccountWithPassword | undefined> {
  return db.row(sql`SELECT ${withPassword} FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
}

export async function setPassword(db: Querier, accountId: string, passwordHash: string): Promise<void> {
  await db.run(sql`UPDATE accounts SET password_hash = ${passwordHash} WHERE id = ${accountId}`);
}

/** Marks the address as verified. Returns false if it was already verified. */
export function markVerified(db: Querier, accountId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE accounts SET email_verified_at = now() WHERE id = ${accountId} AND email_verified_at IS NULL`);
}

/** Makes an account a platform administrator. Returns false if it already was one. */
export function promote(db: Querier, accountId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE accounts SET is_platform_admin = true WHERE id = ${accountId} AND NOT is_platform_admin`);
}

export function findAccount(db: Querier, accountId: string): Promise<Account | undefined> {
  return db.row(sql`SELECT ${columns} FROM accounts WHERE id = ${accountId}`);
}

/** Returns whether an account is a platform administrator. */
export function isPlatformAdmin(db: Querier, accountId: string): Promise<boolean> {
  return db.exists(sql`SELECT FROM accounts WHERE id = ${accountId} AND is_platform_admin`);
}

export function findAccountByEmail(db: Querier, email: string): Promise<AccountWithPassword | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_account(${email})`);
}

/**
 * Deletes tokens that expired over a day ago, sessions without refresh tokens, and unconfirmed enrolments older than a day. Each step is a
 * transaction.
 */
export async function deleteExpiredAccountTokens(scope: Scope): Promise<void> {
  await deleteExpired(scope, { table: sql`account_refresh_tokens`, key: sql`token_hash` });
  await deleteInKeyOrder(scope, {
    table: sql`account_sessions`,
    key: sql`id`,
    where: sql`
      created_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM account_refresh_tokens WHERE session_id = account_sessions.id OFFSET 0)`,
  });
  await deleteExpired(scope, { table: sql`account_tokens`, key: sql`token_hash` });
  await deleteInKeyOrder(scope, {
    table: sql`account_totp`,
    key: sql`account_id`,
    where: sql`confirmed_at IS NULL AND created_at < now() - interval '1 day'`,
  });
}
