import type { Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { hashPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import { requestedMailQueue, type MailServices } from '../../messages/mail/index.ts';
import { redeemToken, requireToken } from './account-token.ts';
import { mailToken } from './mailed-token.ts';
import { findAccountByEmail, lockAccount, markVerified } from './queries.ts';
import { replaceOwnPassword } from './replace-password.ts';
import { keepNewestTokens } from './token-queries.ts';

export const accountResetQueue = requestedMailQueue<{ email: string }>('account-password-reset');

/** In each interval of the clock of this length, only the first request for an address is processed. */
const RESEND_SECONDS = 30;

/** Enqueues a password reset. It does the same work for every address. */
export async function requestReset(
  { database, jobs }: { database: Database; jobs: Jobs },
  email: string,
): Promise<void> {
  const once = { key: email, seconds: RESEND_SECONDS };
  await database.transaction((transaction) => jobs.add(transaction, accountResetQueue, { email }, { once }));
}

/** Mails a reset token if an account has the address and has not reached its limit of emails. Runs in the worker. */
export async function mailAccountReset(
  services: MailServices & { database: Database; issuer: string },
  { email }: { email: string },
): Promise<void> {
  const found = await findAccountByEmail(services.database, email);
  if (!found) return;
  await services.database.forAccount(found.id).transaction(async (transaction) => {
    const account = await lockAccount(transaction, found.id);
    if (!account) return;
    await mailToken(services, transaction, account, 'reset').catch((error: unknown) => {
      if (!(error instanceof ProblemError && error.code === 'too_many_attempts')) throw error;
    });
  });
}

/**
 * Sets a new password with a mailed token. The token also verifies the address. All sessions end. The second factor is not
 * removed, so access to the mailbox alone is not enough to sign in. Throws invalid_credentials.
 */
export async function resetPassword(
  services: MailServices & { database: Database; issuer: string },
  origin: Origin,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<{ email: string }> {
  // Check the token before hashing the password. Hashing needs memory and time, which a stranger must not be able to use up.
  const valid = await requireToken(services, 'reset', token);
  const { accountId } = valid;
  const passwordHash = await hashPassword(newPassword, origin.ip);
  return services.database.forAccount(accountId).transaction(async (transaction) => {
    const account = await redeemToken(transaction, valid);
    await markVerified(transaction, accountId);
    await replaceOwnPassword(
      services,
      transaction,
      { ...account, emailVerified: true },
      {
        passwordHash,
        action: 'account.password_reset',
        origin,
      },
    );
    // The person who resets reads the mailbox, so the next request may mail a token again, even after a flood of requests. A
    // changed password does not reset the count: a stranger who signed up with the address could repeat it.
    await keepNewestTokens(transaction, accountId, 'reset', 0);
    return { email: account.email };
  });
}
