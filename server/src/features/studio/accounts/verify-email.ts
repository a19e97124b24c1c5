import type { Database } from '../../../database/database.ts';
import type { Origin, Self } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { mailToken, invalidToken } from './mailed-token.ts';
import { lockAccount, markVerified } from './queries.ts';
import { findToken, consumeToken } from './token-queries.ts';

/** Verifies the address of an account with a mailed token. Throws invalid_credentials. */
export async function verifyEmail(
  { database, vault }: { database: Database; vault: Vault },
  origin: Origin,
  token: string,
): Promise<{ email: string }> {
  const hash = vault.fingerprint(token);
  const owner = await findToken(database, 'verify', hash);
  if (!owner) throw invalidToken();
  return database.forAccount(owner.accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, owner.accountId);
    if (!account || !(await consumeToken(transaction, 'verify', hash))) throw invalidToken();
    await markVerified(transaction, account.id);
    await auditTrail(transaction, [
      {
        actor: { kind: 'account', id: account.id },
        origin,
        action: 'account.email_verified',
        targetId: account.id,
        details: { email: account.email },
      },
    ]);
    return { email: account.email };
  });
}

/** Mails another verification token. Throws conflict if the address is verified, and too_many_attempts. */
export async function resendVerification(
  services: MailServices & { database: Database; issuer: string },
  { accountId, origin }: Self,
): Promise<void> {
  await services.database.forAccount(accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (!account) throw new ProblemError('invalid_bearer');
    if (account.emailVerified) throw new ProblemError('conflict', 'The e-mail address is already verified.');
    await mailToken(services, transaction, account, 'verify');
    await auditTrail(transaction, [
      {
        actor: { kind: 'account', id: accountId },
        origin,
        action: 'account.verification_requested',
        targetId: accountId,
        details: { email: account.email },
      },
    ]);
  });
}
