import { randomInt } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { newId } from '../../shared/ids.ts';
import { sendMail, type MailServices } from '../mail/index.ts';
import { readTenant } from '../tenants/index.ts';
import { codeHash } from './code-hash.ts';
import { oneTimeCodeLetter } from './letters/one-time-code.ts';
import { spendMail } from './mail-limits.ts';
import { findRecentCode, replaceCode, type SentCode } from './queries.ts';

/** A code lives for 10 minutes, and may be replaced by another one after 30 seconds. */
const LIFETIME_SECONDS = 10 * 60;
const RESEND_SECONDS = 30;

/**
 * Sends a one-time code to an address, and makes a pending player of it where nobody has it. Whether somebody has it changes
 * neither the answer nor the work. Within 30 seconds of a code the answer is about that one, and no other is sent. Throws
 * too_many_attempts.
 */
export async function sendCode(
  services: MailServices & { database: Database },
  tenantId: string,
  email: string,
): Promise<SentCode> {
  const { vault } = services;
  const tenant = services.database.forTenant(tenantId);
  const which = { tenantId, email, resendSeconds: RESEND_SECONDS };
  for (;;) {
    const recent = await findRecentCode(tenant, which);
    if (recent) return recent;

    const code = randomInt(1_000_000).toString().padStart(6, '0');
    const sent = await tenant.transaction(async (transaction) => {
      await spendMail(transaction, email);
      const { name: game } = await readTenant(transaction, tenantId);
      const replaced = await replaceCode(transaction, {
        ...which,
        id: newId(),
        codeHash: codeHash(vault, which, code),
        lifetimeSeconds: LIFETIME_SECONDS,
      });
      const letter = oneTimeCodeLetter({ game, code });
      if (replaced)
        await sendMail(services, transaction, { to: email, letter, usefulSeconds: LIFETIME_SECONDS });
      return replaced;
    });
    // Undefined where another request has just sent one: the answer is about that.
    if (sent) return sent;
  }
}
