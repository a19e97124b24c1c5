import type { Querier } from '../../../database/database.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { renderEmail, type EmailContent, type RenderedEmail } from './email-content.ts';
import { insertMail } from './queries.ts';

/**
 * Mails to deliver. Tried again after 5, 10, 20 … seconds, later every ten minutes, until the mail is late; 200 times are
 * more than a day.
 */
export const mailQueue: Queue<{ mailId: string }> = {
  name: 'mail',
  retryDelay: 5,
  retryDelayMax: 600,
  retryLimit: 200,
  expireInSeconds: 60,
};

export interface MailServices {
  vault: Vault;
  jobs: Jobs;
}

/**
 * Sends a letter, in the caller's transaction: it leaves if the transaction commits, and within a second or so. It is given
 * up once it would be of no use to its reader, after `usefulSeconds`. One that is held is not delivered: it costs the same work,
 * and only the outbox shows it.
 */
export async function sendMail(
  { vault, jobs }: MailServices,
  transaction: Querier,
  {
    to,
    letter,
    usefulSeconds,
    isHeld = false,
  }: { to: string; letter: EmailContent; usefulSeconds: number; isHeld?: boolean },
): Promise<void> {
  const id = newId();
  const { subject, ...body } = renderEmail(letter);
  const sealed = vault.seal(JSON.stringify(body), purposeOf(id));
  await insertMail(transaction, {
    id,
    recipient: to,
    subject,
    body: isHeld ? null : sealed,
    failure: isHeld ? HELD : null,
    giveUpAt: secondsFromNow(usefulSeconds),
  });
  await jobs.add(transaction, mailQueue, { mailId: id });
}

const HELD = 'Not sent: this address had too many mails from tenants that do not know it today.';

/** What a kept mail says. */
export function unsealBody(vault: Vault, mailId: string, body: Buffer): Pick<RenderedEmail, 'text' | 'html'> {
  return JSON.parse(vault.open(body, purposeOf(mailId))) as Pick<RenderedEmail, 'text' | 'html'>;
}

function purposeOf(mailId: string): string {
  return `mail ${mailId}`;
}
