import type { Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { passwordChangedMail } from './email-templates.ts';
import { revokeSessions, setPassword, type Account } from './queries.ts';
import { mailSecurityNotice } from './security-notice.ts';
import { endTokens } from './token-queries.ts';
import { deleteEnrolment } from './totp-queries.ts';

/** A new password of an account, and the origin of the request that sets it. */
export interface NewPassword {
  passwordHash: string;
  action: 'account.password_changed' | 'account.password_reset';
  origin: Origin;
  /** The session that stays signed in. Default: none. */
  keptSessionId?: string;
}

/**
 * Stores a new password. Ends the sessions, mailed reset tokens, logins that wait for the second factor, and a second factor that is not
 * confirmed. Adds an audit record and mails a notice to the account, if its address is verified. The caller must lock the account. Returns
 * the number of ended sessions.
 */
export async function replacePassword(
  services: MailServices & { issuer: string },
  transaction: Querier,
  { id: accountId, email, emailVerified }: Pick<Account, 'id' | 'email' | 'emailVerified'>,
  { passwordHash, action, origin, keptSessionId }: NewPassword,
): Promise<number> {
  await setPassword(transaction, accountId, passwordHash);
  const endedSessions = await revokeSessions(transaction, accountId, keptSessionId);
  await endTokens(transaction, accountId);
  // Somebody who knew the old password may have started it.
  await deleteEnrolment(transaction, accountId);
  await auditTrail(transaction, [
    {
      actor: { kind: 'account', id: accountId },
      origin,
      action,
      targetId: accountId,
      details: { endedSessions },
    },
  ]);
  const content = passwordChangedMail({ server: services.issuer, ip: origin.ip });
  await mailSecurityNotice(services, transaction, { id: accountId, email, emailVerified }, content);
  return endedSessions;
}
