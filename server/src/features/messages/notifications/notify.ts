import type { Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { mailNotice, quoted, type MailServices, type NoticeRecipient } from '../mail/index.ts';
import { insertNotifications, listPlatformAdmins, listTeamRecipients } from './queries.ts';

/** The content of a notification and its mail. */
interface Notice {
  /** The machine-readable type, such as `alert.rate_spike` or `webhook.disabled`. */
  type: string;
  /** One line. Also the subject of the mail if `subject` is absent. */
  title: string;
  /** Required if the title contains a user-defined name, which must not be in the subject of a mail. */
  subject?: string;
  text: string;
  /** The page of the console that the mail links to. */
  link?: string;
  /** Machine-readable details. Must not contain secrets. */
  data?: Record<string, unknown>;
  tenantId?: string;
  /** Whether the mail is also sent to unverified addresses, with a lower daily limit. Default: false. */
  toUnverified?: boolean;
}

/**
 * Notifies the owners and admins of a workspace, each with a notification and, up to a daily limit, a mail. Runs in the caller's
 * transaction, so that each of them is notified exactly once if it commits. `notice` gets the quoted name of the workspace.
 */
export async function notifyTeam(
  services: MailServices,
  transaction: Querier,
  workspaceId: string,
  notice: Notice | ((workspace: string) => Notice),
): Promise<void> {
  const team = await listTeamRecipients(transaction, workspaceId);
  const workspace = quoted(team[0]?.workspaceName ?? '');
  const reason = `You receive this email as an owner or admin of the workspace ${workspace}.`;
  const content = typeof notice === 'function' ? notice(workspace) : notice;
  await notify(services, transaction, team, { ...content, workspaceId, reason });
}

/**
 * Notifies the platform administrators, like {@link notifyTeam}. The operator chose their addresses, so these need not be verified:
 * the first sign-up on a server that only this machine can reach has an unverified one.
 */
export async function notifyPlatformAdmins(
  services: MailServices,
  transaction: Querier,
  notice: Notice,
): Promise<void> {
  const reason = 'You receive this email as a platform administrator of this Guildhall deployment.';
  const admins = await listPlatformAdmins(transaction);
  await notify(services, transaction, admins, { ...notice, workspaceId: null, reason, toUnverified: true });
}

async function notify(
  services: MailServices,
  transaction: Querier,
  recipients: NoticeRecipient[],
  {
    type,
    title,
    subject = title,
    text,
    link,
    data = {},
    tenantId,
    workspaceId,
    reason,
    toUnverified = false,
  }: AddressedNotice,
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
      tenant_id: tenantId ?? null,
    })),
  );
  const paragraphs = [text, ...(link ? [{ link }] : []), `Guildhall sent this email. ${reason}`];
  const content = { subject, paragraphs };
  await mailNotice(services, transaction, recipients, { kind: 'team', content, toUnverified });
}

interface AddressedNotice extends Notice {
  workspaceId: string | null;
  reason: string;
}
