import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { futureInstant } from '../../../core/future-instant.ts';
import { newId } from '../../../core/ids.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import { lockPlayer } from '../../sign-in/email/index.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import { banFingerprint } from '../../sign-in/login/index.ts';
import { auditPlayer } from './audit-player.ts';
import {
  countBans,
  deleteBanFingerprints,
  insertBan,
  liftActiveBans,
  listBannedIdentities,
  listBans,
  renewBanFingerprints,
  setBannedUntil,
  type Ban,
} from './moderation-queries.ts';
import { hasAccess, type PlayerRef } from './player-queries.ts';
import { playerNotFound, resolvePlayer } from './read-player.ts';

export interface BanRequest {
  reason?: string | null;
  note?: string | null;
  until?: string | null;
}

/**
 * Bans a player from a tenant, and ends all their sessions there, including those of concurrent sign-ins. The ban covers the player's
 * identities too, except an unverified address: deleting the profile or unlinking an identity does not end it. A new ban replaces the
 * active one. Throws player_not_found, and invalid_request if `until` is in the past.
 */
export async function banPlayer(
  { database, vault }: { database: Database; vault: Vault },
  player: PlayerRef,
  { reason, note, until: sentUntil }: BanRequest,
  author: AccountAuthor,
): Promise<Ban> {
  const { tenantId, playerId } = player;
  const until =
    typeof sentUntil === 'string'
      ? futureInstant('until', sentUntil, 'Leave it out for a ban without an end.')
      : null;
  const bannedBy = author.actor.id;
  return database.forTenant(tenantId, playerId).transaction(async (transaction) => {
    // This check is before the lock, so that nobody locks a player of another tenant.
    if (!(await hasAccess(transaction, player))) throw playerNotFound();
    // A concurrent deletion of the player runs either before or after the whole ban.
    await lockPlayer(transaction, playerId);
    // This locks the access record, as endPlayerSessions requires.
    if (!(await setBannedUntil(transaction, player, until ?? 'infinity'))) throw playerNotFound();
    const replaced = await liftActiveBans(transaction, player, bannedBy);
    const ban = await insertBan(transaction, player, {
      id: newId(),
      reason: reason || null,
      note: note || null,
      until,
      bannedBy,
    });
    const identities = await listBannedIdentities(transaction, playerId);
    const fingerprints = identities.map((identity) => banFingerprint(vault, tenantId, identity));
    await renewBanFingerprints(transaction, player, fingerprints);
    await endPlayerSessions(transaction, playerId, { tenantId }, { reason: 'account_suspended' });
    await auditPlayer(transaction, author, player, 'player.banned', {
      banId: ban.id,
      reason: ban.reason,
      note: ban.note,
      until: ban.until,
      ...(replaced && { replacedBanId: replaced.id }),
    });
    return ban;
  });
}

/** Lifts the active ban. Revoked sessions stay revoked. Idempotent. Throws player_not_found. */
export async function liftBan(database: Database, player: PlayerRef, author: AccountAuthor): Promise<void> {
  await database.forTenant(player.tenantId, player.playerId).transaction(async (transaction) => {
    if (!(await setBannedUntil(transaction, player, null))) throw playerNotFound();
    await deleteBanFingerprints(transaction, player);
    const lifted = await liftActiveBans(transaction, player, author.actor.id);
    if (!lifted) return;
    await auditPlayer(transaction, author, player, 'player.ban_lifted', { banId: lifted.id });
  });
}

/** A page of a player's bans in a tenant, the latest first. Throws player_not_found. */
export async function listPlayerBans(
  database: Database,
  requested: PlayerRef,
  page: PageRequest,
): Promise<Page<Ban>> {
  const tenant = database.forTenant(requested.tenantId);
  const player = await resolvePlayer(tenant, requested);
  return readPage(page, listBans(tenant, player, page), countBans(tenant, player));
}
