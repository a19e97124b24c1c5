import type { Querier } from '../../../database/database.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { sendMail, type EmailContent, type MailServices } from '../../messages/mail/index.ts';
import { readTenant } from '../../studio/tenants/index.ts';
import { insertToken } from './queries.ts';

/** How long a token works: a day to verify an address, an hour to set a password. */
const LIFETIME_SECONDS = { verify: 24 * 60 * 60, reset: 60 * 60 };

/** Makes a token that works once, in one tenant, and mails it. */
export async function mailToken(
  services: MailServices,
  transaction: Querier,
  owner: { tenantId: string; email: string; playerId: string },
  purpose: 'verify' | 'reset',
  write: (words: { game: string; token: string }) => EmailContent,
  verdict: 'send' | 'hold',
): Promise<void> {
  const token = newOpaqueToken(purpose);
  const usefulSeconds = LIFETIME_SECONDS[purpose];
  await insertToken(transaction, {
    ...owner,
    purpose,
    hash: services.vault.fingerprint(token),
    expiresAt: secondsFromNow(usefulSeconds),
  });
  const { name: game } = await readTenant(transaction, owner.tenantId);
  const mail = { to: owner.email, content: write({ game, token }), usefulSeconds };
  await sendMail(services, transaction, { ...mail, isHeld: verdict === 'hold' });
}
