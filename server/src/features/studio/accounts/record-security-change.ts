import type { Querier } from '../../../database/database.ts';
import { mailNotice, type MailServices } from '../../messages/mail/index.ts';
import { auditOwnAccount } from './audit-own-account.ts';
import { securityChangedEmail, type SecurityChange } from './email-templates.ts';
import type { Account } from './queries.ts';

/**
 * Writes the audit record of a change or use of a credential, and mails a notice to the account if its address is verified. Runs in the
 * caller's transaction.
 */
export async function recordSecurityChange(
  services: MailServices & { issuer: string },
  transaction: Querier,
  { id: accountId, email, emailVerified }: Pick<Account, 'id' | 'email' | 'emailVerified'>,
  { details, ...change }: SecurityChange & { details: Record<string, unknown> },
): Promise<void> {
  await auditOwnAccount(transaction, { accountId, origin: change.origin }, change.action, details);
  const recipient = { accountId, email, emailVerified };
  const content = securityChangedEmail(change, services.issuer);
  await mailNotice(services, transaction, [recipient], { kind: 'security', content, toUnverified: false });
}
