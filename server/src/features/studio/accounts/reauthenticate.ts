import type { Database, Querier } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import { verifyPassword } from '../../../security/passwords.ts';
import type { Vault } from '../../../security/vault.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { findAccountWithPassword, lockAccount, type AccountWithPassword } from './queries.ts';
import { consumeCode } from './second-factor.ts';

export interface ReauthenticationServices {
  database: Database;
  vault: Vault;
  /** Limits wrong passwords. */
  accountLoginThrottle: GuessThrottle;
  /** Limits wrong codes of the second factor. */
  secondFactorThrottle: GuessThrottle;
}

/** The current password of the account, or a code of its authenticator app. */
export interface CurrentCredential {
  password?: string | undefined;
  code?: string | undefined;
}

/**
 * Checks the password or a code again before an account changes how it signs in, because an access token can be stolen. Wrong
 * attempts count toward the limits of the login. Throws invalid_request, invalid_credentials and too_many_attempts.
 */
export async function reauthenticate(
  services: ReauthenticationServices,
  self: Self,
  credential: CurrentCredential,
): Promise<AccountWithPassword> {
  const { password, code } = credential;
  if (password === undefined && code === undefined)
    throw invalidField(
      'password',
      'or code is required',
      'Send your current password or a code of your authenticator app.',
    );
  const account = await findAccountWithPassword(services.database.forAccount(self.accountId), self.accountId);
  if (!account) throw new ProblemError('invalid_bearer');
  if (!(await isCurrent(services, self, account, credential)))
    throw new ProblemError('invalid_credentials', 'The password or the code is wrong.');
  return account;
}

/**
 * Locks an account that was reauthenticated, and returns it as it is now. Throws invalid_credentials if its password has changed since, for
 * example by a reset.
 */
export async function lockReauthenticated(
  transaction: Querier,
  { id, passwordHash }: AccountWithPassword,
): Promise<AccountWithPassword> {
  const account = await lockAccount(transaction, id);
  if (account?.passwordHash !== passwordHash)
    throw new ProblemError('invalid_credentials', 'The password was changed by another request.');
  return account;
}

async function isCurrent(
  { database, vault, accountLoginThrottle, secondFactorThrottle }: ReauthenticationServices,
  { accountId, origin }: Self,
  account: AccountWithPassword,
  { password, code }: CurrentCredential,
): Promise<boolean> {
  if (password !== undefined)
    return accountLoginThrottle.attempt(account.email, origin.ip, () =>
      verifyPassword(password, account.passwordHash, origin.ip),
    );
  if (code === undefined) return false;
  return secondFactorThrottle.attempt(accountId, origin.ip, () =>
    consumeCode(database.forAccount(accountId), vault, accountId, code),
  );
}
