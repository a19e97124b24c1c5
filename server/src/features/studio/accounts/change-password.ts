import type { Self } from '../../../core/author.ts';
import { hashPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { passwordChangedMail } from './email-templates.ts';
import { NOTICE_USEFUL_SECONDS } from './mailed-token.ts';
import { reauthenticate, type ReauthenticationServices } from './reauthenticate.ts';
import { lockAccount, revokeSessions, setPassword } from './queries.ts';
import { endTokens } from './token-queries.ts';

/**
 * Changes the password. The current password is required. Ends all other sessions, mailed reset tokens, and logins that wait
 * for the second factor. If several changes run in parallel, one succeeds. Throws invalid_credentials and too_many_attempts.
 */
export async function changePassword(
  services: ReauthenticationServices & MailServices & { issuer: string },
  self: Self,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<{ endedSessions: number }> {
  const { accountId, sessionId, origin } = self;
  const verified = await reauthenticate(services, self, { password: currentPassword });
  const passwordHash = await hashPassword(newPassword);
  return services.database.forAccount(accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (account?.passwordHash !== verified.passwordHash)
      throw new ProblemError('invalid_credentials', 'The password was changed by another request.');
    await setPassword(transaction, accountId, passwordHash);
    const endedSessions = await revokeSessions(transaction, accountId, sessionId);
    await endTokens(transaction, accountId);
    await auditTrail(transaction, [
      {
        actor: { kind: 'account', id: accountId },
        origin,
        action: 'account.password_changed',
        targetId: accountId,
        details: { endedSessions },
      },
    ]);
    const content = passwordChangedMail({ server: services.issuer, ip: origin.ip });
    await sendMail(services, transaction, {
      to: account.email,
      content,
      usefulSeconds: NOTICE_USEFUL_SECONDS,
    });
    return { endedSessions };
  });
}
