import type { Database } from '../../database/database.ts';
import { verifyPassword } from '../../security/passwords.ts';
import { newRefreshToken } from '../../security/refresh-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import { newId } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { signedIn, type SignedIn } from './issue-tokens.ts';
import type { LoginThrottle } from '../../security/login-throttle.ts';
import { findAccountByEmail, insertSession } from './queries.ts';

export interface LogInServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
  throttle: LoginThrottle;
}

/**
 * Signs an account in. An unknown address does the same work and gets the same answer as a wrong password. Throws
 * invalid_credentials and too_many_attempts.
 */
export async function logIn(
  { database, vault, signer, throttle }: LogInServices,
  address: string | null,
  { email, password }: { email: string; password: string },
): Promise<SignedIn> {
  const account = await findAccountByEmail(database, email);
  const matches = await throttle.attempt(email, address, () =>
    verifyPassword(password, account?.passwordHash),
  );
  if (!account || !matches)
    throw new Problem('invalid_credentials', 'The e-mail address or the password is wrong.');

  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'session');
  await insertSession(database, { sessionId, accountId: account.id, refreshToken });
  return signedIn(signer, account, sessionId, refreshToken);
}
