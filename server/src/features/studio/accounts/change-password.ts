import type { Self } from '../../../core/author.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { lockReauthenticated, reauthenticate, type ReauthenticationServices } from './reauthenticate.ts';
import { replaceOwnPassword } from './replace-password.ts';

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
  const passwordHash = await hashPassword(newPassword, origin.ip);
  return services.database.forAccount(accountId).transaction(async (transaction) => {
    const account = await lockReauthenticated(transaction, verified);
    const endedSessions = await replaceOwnPassword(services, transaction, account, {
      passwordHash,
      action: 'account.password_changed',
      origin,
      keptSessionId: sessionId,
    });
    return { endedSessions };
  });
}
