import { randomInt } from 'node:crypto';
import type { Querier } from '../../../database/database.ts';
import { sendMail, type EmailContent, type MailServices } from '../../messages/mail/index.ts';
import { codeHash } from './code-hash.ts';
import { setCode } from './queries.ts';

/** Makes the code that was opened for an address, and mails it. Nothing where it has been made, replaced, or has expired. */
export async function mailCode(
  services: MailServices,
  transaction: Querier,
  which: { tenantId: string; email: string; codeId: string },
  write: (code: string) => EmailContent,
  verdict: 'send' | 'hold' = 'send',
): Promise<void> {
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const made = await setCode(transaction, { ...which, codeHash: codeHash(services.vault, which, code) });
  if (!made) return;
  const mail = { to: which.email, content: write(code), usefulSeconds: made.secondsLeft };
  await sendMail(services, transaction, { ...mail, isHeld: verdict === 'hold' });
}
