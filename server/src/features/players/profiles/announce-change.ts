import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { listVerifiedAddresses, spendNotice } from '../../sign-in/email/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { findTenant } from '../../studio/tenants/index.ts';
import { profileChangedLetter, type ProfileChange } from './templates/profile-changed.ts';
import { listKnowingTenants } from './proof-queries.ts';

/** A notice that comes a day later warns of nothing that can still be stopped. */
const USEFUL_SECONDS = 24 * 60 * 60;

/** What the trail of a tenant calls each change. */
const ACTIONS = {
  linked: 'player.auth_method_linked',
  unlinked: 'player.auth_method_unlinked',
  primary: 'player.primary_auth_method_changed',
  merged: 'player.profiles_merged',
  exported: 'player.data_exported',
} as const satisfies Partial<Record<ProfileChange, string>>;

/** Who changed a profile, by a token of which tenant; null for the player portal. */
export interface ChangeAuthor {
  playerId: string;
  tenantId: string | null;
  origin: NonNullable<Author['origin']>;
}

/**
 * Writes a change of a profile to the trail of every tenant that knows the player, and mails it to the player. A trail tells
 * nothing of other tenants: where the request came from is for the tenant alone that it came through.
 */
export async function announceChange(
  services: MailServices,
  db: Querier,
  author: ChangeAuthor,
  change: keyof typeof ACTIONS,
  details: Record<string, unknown> = {},
): Promise<void> {
  const { playerId, tenantId, origin } = author;
  const tenants = await listKnowingTenants(db, playerId);
  if (tenants.length > 0)
    await auditTrail(
      db,
      tenants.map((known) => ({
        action: ACTIONS[change],
        actor: { kind: 'player', id: playerId },
        ...(known === tenantId && { origin }),
        tenantId: known,
        targetId: playerId,
        details,
      })),
    );
  await mailChange(services, db, author, change);
}

/** Mails a change of a profile to its verified addresses, in the player's scope. */
export async function mailChange(
  services: MailServices,
  db: Querier,
  { playerId, tenantId }: Pick<ChangeAuthor, 'playerId' | 'tenantId'>,
  change: ProfileChange,
): Promise<void> {
  const addresses = await listVerifiedAddresses(db, playerId);
  if (addresses.length === 0) return;
  const game = tenantId === null ? undefined : (await findTenant(db, tenantId))?.name;
  const letter = profileChangedLetter({ change, game });
  for (const to of addresses)
    if (await spendNotice(db, to))
      await sendMail(services, db, { to, content: letter, usefulSeconds: USEFUL_SECONDS });
}
