import type { Querier } from '../../../database/database.ts';
import { mailNotice, type EmailContent, type MailServices } from '../../messages/mail/index.ts';
import type { Account } from './queries.ts';

/** Mails an account that a credential of it was changed or used, in the caller's transaction, if its address is verified. */
export function mailSecurityNotice(
  services: MailServices,
  transaction: Querier,
  { id: accountId, email, emailVerified }: Pick<Account, 'id' | 'email' | 'emailVerified'>,
  content: EmailContent,
): Promise<void> {
  const recipient = { accountId, email, emailVerified };
  return mailNotice(services, transaction, [recipient], { kind: 'security', content, toUnverified: false });
}
