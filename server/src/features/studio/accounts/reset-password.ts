import type { Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';
import { hashPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { passwordChangedMail } from './email-templates.ts';
import { mailToken, NOTICE_SECONDS, wrongToken } from './mailed-token.ts';
import { findAccountByEmail, lockAccount, markVerified, revokeSessions, setPassword } from './queries.ts';
import { endTokens, findToken, useToken } from './token-queries.ts';

/** Addresses that want a new password. The worker looks their accounts up, so that the request tells nothing. */
export const accountResetQueue: Queue<{ email: string }> = {
  name: 'account-password-reset',
  retryDelay: 5,
  retryDelayMax: 60,
  retryLimit: 20,
  expireInSeconds: 60,
};

/** Of the requests for one address within so many seconds, one is looked at. */
const RESEND_SECONDS = 30;

/** The request's part: the same for every address. */
export async function requestReset(
  { database, jobs }: { database: Database; jobs: Jobs },
  email: string,
): Promise<void> {
  await jobs.add(database, accountResetQueue, { email }, { key: email, seconds: RESEND_SECONDS });
}

/** The worker's part: mails a token if an account has the address, and did not get too many mails. */
export async function mailReset(
  services: MailServices & { database: Database; issuer: string },
  email: string,
): Promise<void> {
  await services.database.transaction(async (transaction) => {
    const found = await findAccountByEmail(transaction, email);
    const account = found && (await lockAccount(transaction, found.id));
    if (!account) return;
    await mailToken(services, transaction, account, 'reset').catch((error: unknown) => {
      if (!(error instanceof ProblemError && error.code === 'too_many_attempts')) throw error;
    });
  });
}

/**
 * Sets a new password by a mailed token, which verifies the address too. All sessions end. The second factor stays, so that
 * a mailbox alone is not enough to sign in. Throws invalid_credentials.
 */
export async function resetPassword(
  services: MailServices & { database: Database; issuer: string },
  origin: Origin,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<{ email: string }> {
  const { database, vault } = services;
  const hash = vault.fingerprint(token);
  const owner = await findToken(database, 'reset', hash);
  // Before the password is hashed: hashing takes memory and time, and strangers must not spend them.
  if (!owner) throw wrongToken();
  const { accountId } = owner;
  const passwordHash = await hashPassword(newPassword);
  return database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (!account || !(await useToken(transaction, 'reset', hash))) throw wrongToken();
    await setPassword(transaction, accountId, passwordHash);
    await markVerified(transaction, accountId);
    const endedSessions = await revokeSessions(transaction, accountId);
    await endTokens(transaction, accountId);
    await auditTrail(transaction, [
      {
        actor: { kind: 'account', id: accountId },
        origin,
        action: 'account.password_reset',
        targetId: accountId,
        details: { endedSessions },
      },
    ]);
    const letter = passwordChangedMail({ server: services.issuer, ip: origin.ip });
    await sendMail(services, transaction, {
      to: account.email,
      content: letter,
      usefulSeconds: NOTICE_SECONDS,
    });
    return { email: account.email };
  });
}
