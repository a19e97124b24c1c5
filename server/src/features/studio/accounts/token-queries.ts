import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** What a token of an account is for. */
export type TokenPurpose = 'verify' | 'reset' | 'mfa';

export async function insertToken(
  db: Querier,
  token: { hash: Buffer; accountId: string; purpose: TokenPurpose; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    INSERT INTO account_tokens (token_hash, account_id, purpose, expires_at)
    VALUES (${token.hash}, ${token.accountId}, ${token.purpose}, ${token.expiresAt})`);
}

/** The account of a token that can be used; undefined for any other token. */
export function findToken(
  db: Querier,
  purpose: TokenPurpose,
  hash: Buffer,
): Promise<{ accountId: string } | undefined> {
  return db.row(sql`
    SELECT account AS "accountId" FROM guildhall_find_account_token(${purpose}, ${hash}) AS account
    WHERE account IS NOT NULL`);
}

/** Uses a token up: of several uses one gets true. */
export async function useToken(db: Querier, purpose: TokenPurpose, hash: Buffer): Promise<boolean> {
  const used = await db.run(sql`
    UPDATE account_tokens SET used_at = clock_timestamp()
    WHERE token_hash = ${hash} AND purpose = ${purpose} AND used_at IS NULL AND expires_at > clock_timestamp()`);
  return used === 1;
}

/** Ends what the old password, or the mailbox, was given: logins that wait for the second factor, and mailed resets. */
export async function endTokens(db: Querier, accountId: string): Promise<void> {
  await db.run(sql`
    UPDATE account_tokens SET used_at = clock_timestamp()
    WHERE account_id = ${accountId} AND purpose IN ('reset', 'mfa') AND used_at IS NULL`);
}

/** How many tokens of an account have not expired, the used ones included, and the seconds until the first of them does. */
export async function countTokens(
  db: Querier,
  accountId: string,
  purpose: TokenPurpose,
): Promise<{ count: number; seconds: number }> {
  const row = await db.row<{ count: number; seconds: number }>(sql`
    SELECT count(*), greatest(1, ceil(extract(epoch FROM min(expires_at) - now())))::int AS seconds
    FROM account_tokens WHERE account_id = ${accountId} AND purpose = ${purpose} AND expires_at > now()`);
  return row ?? { count: 0, seconds: 1 };
}

/** Deletes all tokens of an account for a purpose but the newest ones. */
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
