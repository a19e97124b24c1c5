import type { Database } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import type { PlayerCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { verifyPlayer } from '../tokens/index.ts';
import { findUnverifiedAddress, lockCredential } from './credential-queries.ts';
import { mailToken, wasJustMailed } from './email-tokens.ts';
import { spendMail, type MailBudget } from './mail-limits.ts';

/**
 * Mails another token that verifies the address of a sign-up, unless one was mailed within 30 seconds. The earlier tokens stay valid. Throws
 * conflict if the player has no address to verify, too_many_attempts, and the errors of {@link verifyPlayer}.
 */
export async function resendVerification(
  services: MailServices & { database: Database; mailBudget: MailBudget },
  { billing, ipAddress }: { billing: BillingContext; ipAddress: string | null },
  caller: PlayerCaller,
): Promise<void> {
  const { database, mailBudget } = services;
  const { tenantId } = billing;
  const { playerId } = await verifyPlayer(database, tenantId, caller);
  const email = await findUnverifiedAddress(database.forTenant(tenantId), playerId);
  if (email === undefined) throw new ProblemError('conflict', 'The player has no email address to verify.');
  const owner = { tenantId, email, playerId };
  await mailBudget.count(ipAddress, email, () =>
    database.forKey(billing).transaction(async (transaction) => {
      // Of parallel requests, one sends an email.
      await lockCredential(transaction, email);
      if (await wasJustMailed(transaction, owner)) return { isSent: false };
      const decision = await spendMail(transaction, tenantId, email);
      await mailToken(services, transaction, owner, { purpose: 'verify', decision });
      return { isSent: true };
    }),
  );
}
