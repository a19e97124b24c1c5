import type { Database } from '../../../database/database.ts';
import type { Queue } from '../../../jobs/queue.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { resetPasswordEmail } from './templates/reset-password.ts';
import { judgeMail } from './mail-limits.ts';
import { mailToken } from './mail-token.ts';
import { findCredential } from './queries.ts';

/** Addresses that want a new password. Whose they are is looked up by the worker, so that the request tells nothing. */
export const passwordResetQueue: Queue<{ tenantId: string; email: string }> = {
  name: 'password-reset',
  retryDelay: 5,
  retryDelayMax: 60,
  retryLimit: 20,
  expireInSeconds: 60,
};

/** As long as between two codes: else one burst would spend the mails of an address for the whole day. */
const RESEND_SECONDS = 30;

/** The request's part: the same for every address. */
export async function requestReset(
  { database, jobs }: MailServices & { database: Database },
  billing: BillingContext,
  email: string,
): Promise<void> {
  const { tenantId } = billing;
  const once = { key: `${tenantId} ${email}`, seconds: RESEND_SECONDS };
  await jobs.add(database.forKey(billing), passwordResetQueue, { tenantId, email }, once);
}

/**
 * The worker's part: mails a token where a player has the address, who may as yet have no password, and else nothing. Either
 * way it counts as a mail: else the number of codes that may still be asked for would tell whether somebody has the address.
 */
export async function mailReset(
  services: MailServices & { database: Database },
  { tenantId, email }: { tenantId: string; email: string },
): Promise<void> {
  await services.database.forTenant(tenantId).transaction(async (transaction) => {
    const verdict = await judgeMail(transaction, tenantId, email);
    if (verdict === 'refuse') return;
    const playerId = (await findCredential(transaction, email))?.playerId;
    if (!playerId) return;
    const owner = { tenantId, email, playerId };
    await mailToken(services, transaction, owner, 'reset', resetPasswordEmail, verdict);
  });
}
