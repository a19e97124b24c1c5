import type { Querier } from '../../../database/database.ts';
import { mailNotice, type MailServices } from '../../messages/mail/index.ts';
import { securityChangedEmail, type SecurityChange } from './email-templates.ts';
import type { Account } from './queries.ts';

/** Mails an account that a credential of it was changed or used, in the caller's transaction, if its address is verified. */
export function mailSecurityNotice(
  services: MailServices & { issuer: string },
  transaction: Querier,
  { id: accountId, email, emailVerified }: Pick<Account, 'id' | 'email' | 'emailVerified'>,
  change: SecurityChange,
): Promise<void> {
  const recipient = { accountId, email, emailVerified };
  const content = securityChangedEmail(change, services.issuer);
  return mailNotice(services, transaction, [recipient], { kind: 'security', content, toUnverified: false });
}
