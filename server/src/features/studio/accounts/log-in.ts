import type { Database } from '../../../database/database.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import { verifyPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Origin } from '../../../core/author.ts';
import { type SignedIn, createSession, type SessionServices } from './sessions.ts';
import { findAccountByEmail, type AccountWithPassword } from './queries.ts';
import { requestSecondFactor, type SecondFactorNeeded } from './verify-second-factor.ts';

export interface PasswordServices {
  database: Database;
  accountLoginThrottle: GuessThrottle;
}

export interface EmailAndPassword {
  email: string;
  password: string;
}

/** Signs an account in, or asks for its second factor. Throws the errors of {@link checkPassword}. */
export async function logIn(
  services: PasswordServices & SessionServices,
  origin: Origin,
  given: EmailAndPassword,
): Promise<SignedIn | SecondFactorNeeded> {
  const account = await checkPassword(services, origin.ip, given);
  if (account.totpEnabled) return requestSecondFactor(services, account);
  return services.database
    .forAccount(account.id)
    .transaction((transaction) => createSession(transaction, services, account, origin));
}

/**
 * Returns the account with this address and password. An unknown address takes the same time and gets the same response as a
 * wrong password. Throws invalid_credentials and too_many_attempts.
 */
export async function checkPassword(
  { database, accountLoginThrottle }: PasswordServices,
  address: string | null,
  { email, password }: EmailAndPassword,
): Promise<AccountWithPassword> {
  const account = await findAccountByEmail(database, email);
  const matches = await accountLoginThrottle.attempt(email, address, () =>
    verifyPassword(password, account?.passwordHash, address),
  );
  if (!account || !matches)
    throw new ProblemError('invalid_credentials', 'The email address or the password is wrong.');
  return account;
}
