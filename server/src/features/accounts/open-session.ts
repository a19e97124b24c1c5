import type { Querier } from '../../database/database.ts';
import { newRefreshToken } from '../../security/refresh-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import { newId } from '../../shared/ids.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { signedIn, type SignedIn } from './issue-tokens.ts';
import { insertSession, type Account } from './queries.ts';

export interface SessionServices {
  vault: Vault;
  signer: TokenSigner;
}

/** Signs in an account that has proved itself, in the caller's transaction or by itself. */
export async function openSession(
  db: Querier,
  { vault, signer }: SessionServices,
  account: Account,
): Promise<SignedIn> {
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'session');
  await insertSession(db, { sessionId, accountId: account.id, refreshToken });
  return signedIn(signer, account, sessionId, refreshToken.token);
}
