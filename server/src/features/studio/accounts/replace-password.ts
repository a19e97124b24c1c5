import type { Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { setPassword, type Account } from './queries.ts';
import { recordSecurityChange } from './record-security-change.ts';
import { revokeSessions } from './session-queries.ts';
import { endTokens } from './token-queries.ts';
import { deleteEnrolment } from './totp-queries.ts';

/**
 * Stores a new password. Ends the sessions, mailed reset tokens, logins that wait for the second factor, and a second factor that is not
 * confirmed. The caller must lock the account. Returns the number of ended sessions.
 */
export async function replacePassword(
  transaction: Querier,
  accountId: string,
  passwordHash: string,
  keptSessionId?: string,
): Promise<number> {
  await setPassword(transaction, accountId, passwordHash);
  await endTokens(transaction, accountId);
  // Somebody who knew the old password may have started to enrol an authenticator.
  await deleteEnrolment(transaction, accountId);
  return revokeSessions(transaction, accountId, keptSessionId);
}

/** The new password of an account that changes it itself, and the origin of the request. */
interface OwnPassword {
  passwordHash: string;
  action: 'account.password_changed' | 'account.password_reset';
  origin: Origin;
  /** The session that stays signed in. Default: none. */
  keptSessionId?: string;
}

/** Replaces the password, adds an audit record, and mails a notice to the account if its address is verified. */
export async function replaceOwnPassword(
  services: MailServices & { issuer: string },
  transaction: Querier,
  account: Pick<Account, 'id' | 'email' | 'emailVerified'>,
  { passwordHash, action, origin, keptSessionId }: OwnPassword,
): Promise<number> {
  const endedSessions = await replacePassword(transaction, account.id, passwordHash, keptSessionId);
  await recordSecurityChange(services, transaction, account, { action, origin, details: { endedSessions } });
  return endedSessions;
}
