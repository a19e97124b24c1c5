import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { lockAccount, type AccountWithPassword } from './queries.ts';
import { consumeToken, findToken, insertToken, type TokenPurpose } from './token-queries.ts';

const MAILED_TOKEN = 'The token is wrong, was used, or has expired.';

/** Why a token is refused, by its purpose: the same for unknown, used and expired tokens. */
const refusals: Record<TokenPurpose, string> = {
  verify: MAILED_TOKEN,
  reset: MAILED_TOKEN,
  mfa: 'The mfaToken is wrong, was used, or has expired. Sign in again.',
  link: 'The link is wrong, was used, or has expired. Sign in with the password.',
};

/** A token that was valid when it was read. */
interface AccountToken {
  purpose: TokenPurpose;
  hash: Buffer;
  accountId: string;
}

/** Creates a single-use token of an account. Only its fingerprint is stored. */
export async function issueToken(
  transaction: Querier,
  vault: Vault,
  { accountId, purpose, seconds }: { accountId: string; purpose: TokenPurpose; seconds: number },
): Promise<string> {
  const token = newOpaqueToken(purpose);
  const expiresAt = secondsFromNow(seconds);
  await insertToken(transaction, { hash: vault.fingerprint(token), accountId, purpose, expiresAt });
  return token;
}

/** Finds the account of a valid token. Throws invalid_credentials. */
export async function requireToken(
  { database, vault }: { database: Database; vault: Vault },
  purpose: TokenPurpose,
  token: string,
): Promise<AccountToken> {
  const hash = vault.fingerprint(token);
  const owner = await findToken(database, purpose, hash);
  if (!owner) throw refusedToken(purpose);
  return { purpose, hash, accountId: owner.accountId };
}

/** Locks the account of a token, and consumes the token. Throws invalid_credentials if another request has consumed it. */
export async function redeemToken(
  transaction: Querier,
  { purpose, hash, accountId }: AccountToken,
): Promise<AccountWithPassword> {
  const account = await lockAccount(transaction, accountId);
  if (!account || !(await consumeToken(transaction, purpose, hash))) throw refusedToken(purpose);
  return account;
}

export function refusedToken(purpose: TokenPurpose): ProblemError {
  return new ProblemError('invalid_credentials', refusals[purpose]);
}
