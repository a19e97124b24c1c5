import { Counter } from 'prom-client';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { findWaitingMail, markFailed, markSent } from './queries.ts';
import { unsealBody } from './send-mail.ts';
import { MailRefusedError, type MailServer } from './smtp.ts';

const mails = new Counter({
  name: 'guildhall_mails_total',
  help: 'Attempts to deliver an email, by result: sent, deferred (another attempt follows), refused, expired.',
  labelNames: ['result'] as const,
});
for (const result of ['sent', 'deferred', 'refused', 'expired']) mails.inc({ result }, 0);

/**
 * Delivers a mail. Runs in the worker. Without a mail server, the mail stays in the outbox. Throws if a later attempt may
 * succeed, so that the queue retries the job. After a crash between delivery and commit, the mail is sent again with the same
 * Message-ID.
 */
export async function deliverMail(
  { database, vault, mailServer }: { database: Database; vault: Vault; mailServer: MailServer | undefined },
  { mailId }: { mailId: string },
): Promise<void> {
  const mail = mailServer && (await findWaitingMail(database, mailId));
  if (!mail) return;
  if (mail.isExpired) {
    await markFailed(database, mailId, { failure: EXPIRED, isFinal: true });
    mails.inc({ result: 'expired' });
    return;
  }
  const { recipient: to, subject, body } = mail;
  try {
    await mailServer.send({ id: mailId, to, subject, ...unsealBody(vault, mailId, body) });
  } catch (error) {
    if (!(error instanceof MailRefusedError)) throw error;
    await markFailed(database, mailId, { failure: error.message, isFinal: error.isFinal });
    mails.inc({ result: error.isFinal ? 'refused' : 'deferred' });
    if (!error.isFinal) throw error;
    return;
  }
  await markSent(database, mailId);
  mails.inc({ result: 'sent' });
}

const EXPIRED = 'The email expired before it could be delivered.';
