import type { Database } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import type { LoginThrottle } from '../../../security/login-throttle.ts';
import { verifyPassword } from '../../../security/passwords.ts';
import type { Vault } from '../../../security/vault.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { findAccountWithPassword, type AccountWithPassword } from './queries.ts';
import { useCode } from './second-factor.ts';

export interface ProofServices {
  database: Database;
  vault: Vault;
  /** Of passwords. */
  throttle: LoginThrottle;
  /** Of codes of the second factor. */
  codeThrottle: LoginThrottle;
}

/** The account's current password, or a code of its authenticator app. */
export interface Proof {
  password?: string | undefined;
  code?: string | undefined;
}

/**
 * Makes an account prove itself again before it changes how it signs in: an access token alone may have been stolen. Wrong
 * proofs count with those at login. Throws invalid_request, invalid_credentials and too_many_attempts.
 */
export async function proveAgain(
  { database, vault, throttle, codeThrottle }: ProofServices,
  { accountId, origin }: Self,
  { password, code }: Proof,
): Promise<AccountWithPassword> {
  if (password === undefined && code === undefined)
    throw invalidField('password', 'is needed, or code', 'Send your current password or a code of your app.');
  const account = await findAccountWithPassword(database.forAccount(accountId), accountId);
  if (!account) throw new ProblemError('invalid_bearer');
  const isProved =
    password === undefined
      ? await codeThrottle.attempt(accountId, origin.ip, () =>
          useCode(database.forAccount(accountId), vault, accountId, code!),
        )
      : await throttle.attempt(account.email, origin.ip, () =>
          verifyPassword(password, account.passwordHash),
        );
  if (!isProved) throw new ProblemError('invalid_credentials', 'The password or the code is wrong.');
  return account;
}
