import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { SignUpBudget } from '../../../security/sign-up-budget.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { createAccount } from './create-account.ts';
import { type SignedIn, createSession, type SessionServices } from './sessions.ts';
import { mailToken } from './mailed-token.ts';
import { hasAccounts } from './queries.ts';

export interface SignUpServices extends SessionServices, MailServices {
  database: Database;
  /** The base URL of the deployment. */
  issuer: string;
  config: { signup: 'open' | 'closed'; firstSignUpIsAdmin: boolean };
  accountSignUpBudget: SignUpBudget;
}

export interface SignUpRequest {
  email: string;
  password: string;
  displayName?: string | undefined;
  /** Whether the request comes from this machine. */
  isLocal: boolean;
}

/**
 * Creates an account, mails a verification token, and signs the account in. If the server listens on loopback only, the first account
 * becomes platform administrator. Its request must come from this machine directly, because anybody can send one through a proxy, a
 * tunnel or a page of another origin. Throws invalid_request, signup_closed, too_many_attempts and email_taken.
 */
export async function signUp(
  services: SignUpServices,
  origin: Origin,
  { email, password, displayName, isLocal }: SignUpRequest,
): Promise<SignedIn> {
  if (displayName !== undefined) requireDisplayName(displayName);
  if (services.config.signup === 'closed') throw new ProblemError('signup_closed');
  await services.accountSignUpBudget.spend(origin.ip);
  const passwordHash = await hashPassword(password, origin.ip);
  const id = newId();
  const author = { actor: { kind: 'account' as const, id }, origin };
  const mayBeAdmin = services.config.firstSignUpIsAdmin && isLocal;
  return services.database.transaction(async (transaction) => {
    if (mayBeAdmin) await lockUntilCommit(transaction, 'firstAccount');
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
