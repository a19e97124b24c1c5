import type { Database } from '../../../database/database.ts';
import type { Origin, Self } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { redeemToken, requireToken } from './account-token.ts';
import { auditOwnAccount } from './audit-own-account.ts';
import { mailToken } from './mailed-token.ts';
import { lockAccount, markVerified } from './queries.ts';

/** Verifies the address of an account with a mailed token. Throws invalid_credentials. */
export async function verifyEmail(
  services: { database: Database; vault: Vault },
  origin: Origin,
  token: string,
): Promise<{ email: string }> {
  const valid = await requireToken(services, 'verify', token);
  const { accountId } = valid;
  return services.database.forAccount(accountId).transaction(async (transaction) => {
    const { email } = await redeemToken(transaction, valid);
    // Another token, a reset or an invitation may have verified it before.
    if (await markVerified(transaction, accountId))
      await auditOwnAccount(transaction, { accountId, origin }, 'account.email_verified', { email });
    return { email };
  });
}

/** Mails another verification token. Throws conflict if the address is verified, and too_many_attempts. */
export async function resendVerification(
  services: MailServices & { database: Database; issuer: string },
  self: Self,
): Promise<void> {
  await services.database.forAccount(self.accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, self.accountId);
    if (!account) throw new ProblemError('invalid_bearer');
    if (account.emailVerified) throw new ProblemError('conflict', 'The email address is already verified.');
    await mailToken(services, transaction, account, 'verify');
    const { email } = account;
    await auditOwnAccount(transaction, self, 'account.verification_requested', { email });
  });
}
