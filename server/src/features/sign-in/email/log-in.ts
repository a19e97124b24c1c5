import type { Querier } from '../../../database/database.ts';
import type { LoginThrottle } from '../../../security/login-throttle.ts';
import { verifyPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import { signIn, type LoginResult, type SignInRequest, type SignInServices } from '../login/index.ts';
import { findCredential, keepsPassword } from './queries.ts';

/**
 * Signs a player in with an address and a password. An unknown address does the same work and gets the same answer as a wrong
 * password. Throws invalid_credentials, too_many_attempts, and what any sign-in throws.
 */
export async function logIn(
  services: SignInServices & { throttle: LoginThrottle },
  { email, password, ...request }: Omit<SignInRequest, 'mode'> & { email: string; password: string },
): Promise<LoginResult> {
  const passwordHash = (await findCredential(services.database, email))?.passwordHash;
  const matches = await services.throttle.attempt(email, request.ipAddress, () =>
    verifyPassword(password, passwordHash),
  );
  if (!matches || !passwordHash) throw wrongPassword();
  // The comparison took its time: meanwhile the owner of the address may have proved it, or set another password.
  const first = async (transaction: Querier, playerId: string): Promise<void> => {
    if (!(await keepsPassword(transaction, { email, playerId, passwordHash }))) throw wrongPassword();
  };
  const identity = { provider: 'EmailPassword', issuer: '', providerUserId: email } as const;
  return signIn(services, identity, { ...request, mode: 'login', first });
}

function wrongPassword(): ProblemError {
  return new ProblemError('invalid_credentials', 'The e-mail address or the password is wrong.');
}
