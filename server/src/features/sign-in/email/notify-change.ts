import type { Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { auditAll } from '../../platform/audit/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { findTenant } from '../../studio/tenants/index.ts';
import { listAuditedTenants, listVerifiedAddresses } from './notice-queries.ts';
import { profileChangedEmail, type ProfileChange } from './profile-changed-email.ts';

/** After a day, a notification is too late: the player can no longer stop the change. */
const USEFUL_SECONDS = 24 * 60 * 60;

/** Notices of changes per day to one address. The limit prevents flooding a mailbox. */
const NOTICES_PER_DAY = 20;

/** The audit action of each change. */
const ACTIONS = {
  linked: 'player.auth_method_linked',
  unlinked: 'player.auth_method_unlinked',
  primary: 'player.primary_auth_method_changed',
  merged: 'player.profiles_merged',
  exported: 'player.data_exported',
  deviceBlocked: 'player.device_blocked',
  deviceUnblocked: 'player.device_unblocked',
  passwordReset: 'player.password_reset',
} as const satisfies Partial<Record<ProfileChange, string>>;

/** The player who changes a profile. `tenantId` is the tenant of the token; null for the player portal. */
interface ChangeAuthor {
  playerId: string;
  tenantId: string | null;
  /** The name of the tenant, if the player may never have signed in to it. The player's scope cannot read it then. */
  game?: string;
  origin: Origin;
}

/**
 * Writes a change of a profile to the audit trails of the player's tenants (at most 100), and mails it to the player.
 * Tenants learn nothing about each other: only the tenant of the token sees the origin of the request.
 */
export async function notifyChange(
  services: MailServices,
  db: Querier,
  author: ChangeAuthor,
  change: keyof typeof ACTIONS,
  detailsIn: (tenantId: string) => Record<string, unknown> = () => ({}),
): Promise<void> {
  const { playerId, tenantId, origin } = author;
  const tenantIds = await listAuditedTenants(db, author);
  if (tenantIds.length > 0)
    await auditAll(
      db,
      tenantIds.map((id) => ({
        action: ACTIONS[change],
        actor: { kind: 'player', id: playerId },
        ...(id === tenantId && { origin }),
        tenantId: id,
        targetId: playerId,
        details: detailsIn(id),
      })),
    );
  await mailChange(services, db, author, change);
}

/**
 * Mails a change to the verified addresses of the profile, a deletion with its receipt. Above the daily limit the mail fails. Runs in
 * the player's scope.
 */
export async function mailChange(
  services: MailServices,
  db: Querier,
  { playerId, tenantId, ...author }: Omit<ChangeAuthor, 'origin'>,
  change: ProfileChange,
  receiptId?: string,
): Promise<void> {
  const addresses = await listVerifiedAddresses(db, playerId);
  if (addresses.length === 0) return;
  const game = author.game ?? (tenantId === null ? undefined : (await findTenant(db, tenantId))?.name);
  const content = profileChangedEmail({ change, game, receiptId });
  for (const to of addresses)
    await sendMail(services, db, {
      to,
      content,
      usefulSeconds: USEFUL_SECONDS,
      isNotice: true,
      budget: { key: `profile ${to}`, dailyMails: NOTICES_PER_DAY },
    });
}
