import type { Querier } from '../../../database/database.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { renderEmail, type EmailBody, type EmailContent } from './email-content.ts';
import { insertMails, type DailyMailLimit } from './queries.ts';

/**
 * The queue of mails. Retries follow after 5, 10, 20 … seconds, later every 10 minutes, until the mail expires. 1,100
 * retries take 7.6 days: an invitation is valid for 7 days.
 */
export const mailQueue: Queue<{ mailId: string }> = {
  name: 'mail',
  retryDelay: 5,
  retryDelayMax: 600,
  retryLimit: 1100,
  // An attempt takes up to 45 s. Before, it may wait as long for the mails to its address.
  expireInSeconds: 120,
  // Many mails to one address leave most of a worker to other addresses.
  atOncePerGroup: 2,
};

/** Codes, tokens and invitations are sent before notices, because users wait for them. */
const PRIORITY = { awaited: 1, notice: 0 };

export interface MailServices {
  vault: Vault;
  jobs: Jobs;
}

interface MailToMany {
  content: EmailContent;
  /** After this time the mail expires. */
  usefulSeconds: number;
  /** A held mail takes the same time but is not delivered: it only appears in the outbox, as failed. */
  isHeld?: boolean;
  /** A notice is delivered after all mails that somebody waits for. */
  isNotice?: boolean;
}

interface Recipient {
  to: string;
  budget?: DailyMailLimit;
}

type Mail = MailToMany & Recipient;

/** Enqueues a mail in the caller's transaction. If the transaction commits, the worker sends the mail within about 1 second. */
export function sendMail(
  services: MailServices,
  transaction: Querier,
  { to, budget, ...mail }: Mail,
): Promise<void> {
  return sendMails(services, transaction, [{ to, budget }], mail);
}

/** Like {@link sendMail}, to each recipient in a mail of its own, with two statements for all of them. */
export async function sendMails(
  { vault, jobs }: MailServices,
  transaction: Querier,
  recipients: Recipient[],
  { content, usefulSeconds, isHeld = false, isNotice = false }: MailToMany,
): Promise<void> {
  const { subject, ...rendered } = renderEmail(content);
  const body = JSON.stringify(rendered);
  const mails = recipients.map(({ to, budget }) => {
    const id = newId();
    const sealed = vault.seal(body, purposeOf(id));
    return { id, recipient: to, body: isHeld ? null : sealed, budget };
  });
  await insertMails(transaction, { mails, subject, usefulSeconds, failure: isHeld ? HELD : null });
  const priority = isNotice ? PRIORITY.notice : PRIORITY.awaited;
  await jobs.addAll(
    transaction,
    mailQueue,
    mails.map(({ id, recipient }) => ({ data: { mailId: id }, group: recipient, priority })),
  );
}

const HELD = 'Not sent: today this address received too many emails from tenants in which it has no player.';

/** Decrypts the body of a stored mail. */
export function unsealBody(vault: Vault, mailId: string, body: Buffer): EmailBody {
  return JSON.parse(vault.open(body, purposeOf(mailId))) as EmailBody;
}

function purposeOf(mailId: string): string {
  return `mail ${mailId}`;
}
