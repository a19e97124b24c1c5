import type { Database } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { hashPassword } from '../../security/passwords.ts';
import type { SignUpThrottle } from '../../security/sign-up-throttle.ts';
import { newId } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import { createAccount } from './create-account.ts';
import type { SignedIn } from './issue-tokens.ts';
import { openSession, type SessionServices } from './open-session.ts';

export interface SignUpServices extends SessionServices {
  database: Database;
  config: { signup: 'open' | 'closed' };
  signUps: SignUpThrottle;
}

export interface SignUpRequest {
  email: string;
  password: string;
  displayName?: string | undefined;
}

/** Creates an account and signs it in. Throws signup_closed, too_many_attempts and email_taken. */
export async function signUp(
  services: SignUpServices,
  origin: NonNullable<Author['origin']>,
  { email, password, displayName }: SignUpRequest,
): Promise<SignedIn> {
  if (services.config.signup === 'closed') throw new Problem('signup_closed');
  await services.signUps.spend(origin.ip);
  const passwordHash = await hashPassword(password);
  const id = newId();
  const author = { actor: { kind: 'account' as const, id }, origin };
  return services.database.transaction(async (transaction) => {
    const account = { id, email, passwordHash, displayName: displayName ?? null };
    const created = await createAccount(transaction, author, account);
    return openSession(transaction, services, created);
  });
}
