import type { Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { quoted, sendMail, type MailServices } from '../mail/index.ts';
import { noticeEmail } from './templates/notice.ts';
import { insertNotifications, listPlatformAdmins, listTeamRecipients, type Recipient } from './queries.ts';

/** What somebody is told. */
export interface Notice {
  /** What it is about, for programs: `alert.rate_spike`, `webhook.disabled` and the like. */
  type: string;
  /** One line, and the subject of the mail unless there is another one. */
  title: string;
  /** The subject of the mail if the title holds a name that somebody chose: a subject holds none. */
  subject?: string;
  text: string;
  /** Names what it is about, for programs. Never a secret. */
  data?: Record<string, unknown>;
  tenantId?: string;
}

/** A mail that waits longer tells of something that the reader has seen in the dashboard, or that is over. */
const MAIL_USEFUL_SECONDS = 24 * 60 * 60;

/**
 * Tells the owners and admins of a workspace: each by a notification and a mail, in the caller's transaction. So they are told
 * if it commits, and once. A workspace without any has nobody to tell.
 */
export async function notifyTeam(
  services: MailServices,
  transaction: Querier,
  workspaceId: string,
  notice: Notice,
): Promise<void> {
  const team = await listTeamRecipients(transaction, workspaceId);
  const reason = `You get this as an owner or admin of the workspace ${quoted(team[0]?.workspaceName ?? '')}.`;
  await notify(services, transaction, team, { ...notice, workspaceId, reason });
}

/** Tells those who run the deployment, as {@link notifyTeam} tells a workspace's. */
export async function notifyPlatformAdmins(
  services: MailServices,
  transaction: Querier,
  notice: Notice,
): Promise<void> {
  const reason = 'You get this as a platform admin of this Guildhall.';
  const admins = await listPlatformAdmins(transaction);
  await notify(services, transaction, admins, { ...notice, workspaceId: null, reason });
}

async function notify(
  services: MailServices,
  transaction: Querier,
  recipients: Recipient[],
  { type, title, subject = title, text, data = {}, tenantId = null, workspaceId, reason }: Addressed,
): Promise<void> {
  if (recipients.length === 0) return;
  await insertNotifications(
    transaction,
    recipients.map(({ accountId }) => ({
      id: newId(),
      account_id: accountId,
      type,
      title,
      text,
      data,
      workspace_id: workspaceId,
      tenant_id: tenantId,
    })),
  );
  const letter = noticeEmail({ subject, text, reason });
  for (const { email } of recipients)
    await sendMail(services, transaction, { to: email, letter, usefulSeconds: MAIL_USEFUL_SECONDS });
}

type Addressed = Omit<Notice, 'tenantId'> & {
  tenantId?: string | null;
  workspaceId: string | null;
  reason: string;
};
