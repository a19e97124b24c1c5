import { randomInt } from 'node:crypto';
import type { Querier } from '../../database/database.ts';
import { sendMail, type MailServices } from '../mail/index.ts';
import { codeHash } from './code-hash.ts';
import { oneTimeCodeLetter } from './letters/one-time-code.ts';
import { setCode } from './queries.ts';

/** Makes the code that was opened for an address, and mails it. Nothing where it has been made, replaced, or has expired. */
export async function mailCode(
  services: MailServices,
  transaction: Querier,
  which: { tenantId: string; email: string; codeId: string },
  place: string,
): Promise<void> {
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const made = await setCode(transaction, { ...which, codeHash: codeHash(services.vault, which, code) });
  if (!made) return;
  const letter = oneTimeCodeLetter({ place, code });
  await sendMail(services, transaction, { to: which.email, letter, usefulSeconds: made.secondsLeft });
}
