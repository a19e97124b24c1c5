import type { Querier } from '../../../database/database.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { insertToken, type TokenPurpose } from './token-queries.ts';

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
