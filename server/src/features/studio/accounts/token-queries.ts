import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** The purpose of an account token: address verification, password reset, second factor, or sign-in by a printed link. */
export type TokenPurpose = 'verify' | 'reset' | 'mfa' | 'link';

export async function insertToken(
  db: Querier,
  token: { hash: Buffer; accountId: string; purpose: TokenPurpose; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    INSERT INTO account_tokens (token_hash, account_id, purpose, expires_at)
    VALUES (${token.hash}, ${token.accountId}, ${token.purpose}, ${token.expiresAt})`);
}

/** Finds the account of a valid token. Returns undefined if the token is unknown, used or expired. */
export function findToken(
  db: Querier,
  purpose: TokenPurpose,
  hash: Buffer,
): Promise<{ accountId: string } | undefined> {
  return db.row(sql`
    SELECT account AS "accountId" FROM guildhall_find_account_token(${purpose}, ${hash}) AS account
    WHERE account IS NOT NULL`);
}

/** Consumes a token. Only one of several parallel calls returns true. */
export function consumeToken(db: Querier, purpose: TokenPurpose, hash: Buffer): Promise<boolean> {
  return db.changes(sql`
    UPDATE account_tokens SET used_at = clock_timestamp()
    WHERE token_hash = ${hash} AND purpose = ${purpose} AND used_at IS NULL AND expires_at > clock_timestamp()`);
}

/** Ends the password reset tokens and the sign-in link of an account, and its logins that wait for the second factor. */
export async function endTokens(db: Querier, accountId: string): Promise<void> {
  await db.run(sql`
    UPDATE account_tokens SET used_at = clock_timestamp()
    WHERE account_id = ${accountId} AND purpose IN ('reset', 'mfa', 'link') AND used_at IS NULL`);
}

/** Counts the tokens that have not expired, including used ones. `seconds` is the time until the first one expires. */
export function countTokens(
  db: Querier,
  accountId: string,
  purpose: TokenPurpose,
): Promise<{ count: number; seconds: number }> {
  return db.one(sql`
    SELECT count(*), greatest(1, ceil(extract(epoch FROM min(expires_at) - now())))::int AS seconds
    FROM account_tokens WHERE account_id = ${accountId} AND purpose = ${purpose} AND expires_at > now()`);
}

/** Deletes the tokens of an account for one purpose, except the newest ones. */
export async function keepNewestTokens(
  db: Querier,
  accountId: string,
  purpose: TokenPurpose,
  kept: number,
): Promise<void> {
  await db.run(sql`
    DELETE FROM account_tokens WHERE token_hash IN (
      SELECT token_hash FROM account_tokens WHERE account_id = ${accountId} AND purpose = ${purpose}
      ORDER BY created_at DESC OFFSET ${kept})`);
}
