import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { findWaitingMail, markFailed, markSent } from './queries.ts';
import { unsealBody } from './send-mail.ts';
import { MailRefusedError, type MailServer } from './smtp.ts';

/**
 * Delivers a mail, the worker's side of it. Without a mail server it stays in the outbox. Throws where another attempt may
 * help. Where the process dies between the server's yes and ours, it is sent again, under the same Message-ID.
 */
export async function deliverMail(
  { database, vault, mailServer }: { database: Database; vault: Vault; mailServer: MailServer | undefined },
  mailId: string,
): Promise<void> {
  const mail = mailServer && (await findWaitingMail(database, mailId));
  if (!mail) return;
  if (mail.isLate) return markFailed(database, mailId, { failure: LATE, isFinal: true });
  const { recipient: to, subject, body } = mail;
  try {
    await mailServer.send({ id: mailId, to, subject, ...unsealBody(vault, mailId, body) });
  } catch (error) {
    if (!(error instanceof MailRefusedError)) throw error;
    await markFailed(database, mailId, { failure: error.message, isFinal: error.isFinal });
    if (!error.isFinal) throw error;
    return;
  }
  await markSent(database, mailId);
}

const LATE = 'It could not be delivered while it was of use.';
