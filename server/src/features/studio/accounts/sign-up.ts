import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { SignUpThrottle } from '../../../security/sign-up-throttle.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { createAccount } from './create-account.ts';
import type { SignedIn } from './issue-tokens.ts';
import { mailToken } from './mailed-token.ts';
import { createSession, type SessionServices } from './open-session.ts';
import { hasAccounts, lockAccounts } from './queries.ts';

export interface SignUpServices extends SessionServices, MailServices {
  database: Database;
  /** The address of the deployment. */
  issuer: string;
  config: { signup: 'open' | 'closed'; firstSignUpIsAdmin: boolean };
  signUps: SignUpThrottle;
}

export interface SignUpRequest {
  email: string;
  password: string;
  displayName?: string | undefined;
  /** Whether a proxy sent the request on. */
  isForwarded: boolean;
}

/**
 * Creates an account, mails the token that verifies its address, and signs it in. If only this machine reaches the server,
 * the first account becomes its platform admin, unless a proxy forwarded the request: then it may come from anywhere.
 * Throws signup_closed, too_many_attempts and email_taken.
 */
export async function signUp(
  services: SignUpServices,
  origin: NonNullable<Author['origin']>,
  { email, password, displayName, isForwarded }: SignUpRequest,
): Promise<SignedIn> {
  if (services.config.signup === 'closed') throw new ProblemError('signup_closed');
  await services.signUps.spend(origin.ip);
  const passwordHash = await hashPassword(password);
  const id = newId();
  const author = { actor: { kind: 'account' as const, id }, origin };
  const mayBeAdmin = services.config.firstSignUpIsAdmin && !isForwarded;
  return services.database.transaction(async (transaction) => {
    if (mayBeAdmin) await lockAccounts(transaction);
    const created = await createAccount(transaction, author, {
      id,
      email,
      passwordHash,
      displayName: displayName ?? null,
      isPlatformAdmin: mayBeAdmin && !(await hasAccounts(transaction)),
      emailVerified: false,
    });
    await mailToken(services, transaction, created, 'verify');
    return createSession(transaction, services, created, origin);
  });
}
