import type { Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { signedIn, type SignedIn } from './issue-tokens.ts';
import { insertSession, type AccountWithPassword } from './queries.ts';

export interface SessionServices {
  vault: Vault;
  signer: TokenSigner;
}

/**
 * Signs in an account that has proved itself, in the caller's transaction or by itself. Throws invalid_credentials if its
 * password has changed since it was read.
 */
export async function createSession(
  db: Querier,
  { vault, signer }: SessionServices,
  account: AccountWithPassword,
  origin: Origin,
): Promise<SignedIn> {
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'session');
  if (!(await insertSession(db, { sessionId, account, origin, refreshToken })))
    throw new ProblemError(
      'invalid_credentials',
      'The password was changed during the login. Sign in again.',
    );
  return signedIn(signer, account, sessionId, refreshToken.token);
}
