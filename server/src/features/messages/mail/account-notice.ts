import type { Querier } from '../../../database/database.ts';
import type { EmailContent } from './email-content.ts';
import { sendMails, type MailServices } from './send-mail.ts';

/** A console account that is notified. */
export interface NoticeRecipient {
  accountId: string;
  email: string;
  emailVerified: boolean;
}

/**
 * Notices per day to the address of one account: about its security, and about its workspaces or the deployment. Each kind has a
 * limit of its own, so that alerts do not use up the notices of a changed password.
 */
const NOTICES_PER_DAY = { security: 20, team: 200 };

/** The limit for an unverified address. It can belong to a person without an account. */
const NOTICES_PER_DAY_UNVERIFIED = 20;

/** After a day, the reader has probably seen the change in the console. */
const USEFUL_SECONDS = 24 * 60 * 60;

interface AccountNotice {
  kind: keyof typeof NOTICES_PER_DAY;
  content: EmailContent;
  /** Whether the notice is also mailed to an unverified address. */
  toUnverified: boolean;
}

/** Mails a notice in the caller's transaction to each recipient with a verified address. Above the daily limit the mail fails. */
export async function mailNotice(
  services: MailServices,
  transaction: Querier,
  recipients: NoticeRecipient[],
  { kind, content, toUnverified }: AccountNotice,
): Promise<void> {
  const mailed = recipients
    .filter(({ emailVerified }) => emailVerified || toUnverified)
    .map(({ accountId, email, emailVerified }) => {
      const dailyMails = emailVerified ? NOTICES_PER_DAY[kind] : NOTICES_PER_DAY_UNVERIFIED;
      return { to: email, budget: { key: `${kind} ${accountId}`, dailyMails } };
    });
  if (mailed.length === 0) return;
  const mail = { content, usefulSeconds: USEFUL_SECONDS, isNotice: true };
  await sendMails(services, transaction, mailed, mail);
}
