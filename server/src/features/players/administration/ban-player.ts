import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { futureInstant } from '../../../core/future-instant.ts';
import { newId } from '../../../core/ids.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import { audit } from '../../platform/audit/index.ts';
import { lockPlayer } from '../../sign-in/email/index.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import { banFingerprint } from '../../sign-in/login/index.ts';
import {
  countBans,
  deleteBanFingerprints,
  hasAccess,
  insertBan,
  liftActiveBans,
  listBannedIdentities,
  listBans,
  renewBanFingerprints,
  setBannedUntil,
  type Ban,
} from './moderation-queries.ts';
import { playerNotFound, resolvePlayerId } from './read-player.ts';

export interface BanRequest {
  tenantId: string;
  playerId: string;
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
  { tenantId, playerId, reason, note, until: sentUntil }: BanRequest,
  author: AccountAuthor,
): Promise<Ban> {
  const until =
    typeof sentUntil === 'string'
      ? futureInstant('until', sentUntil, 'Leave it out for a ban without an end.')
      : null;
  const bannedBy = author.actor.id;
  return database.forTenant(tenantId, playerId).transaction(async (transaction) => {
    // This check is before the lock, so that nobody locks a player of another tenant.
    if (!(await hasAccess(transaction, tenantId, playerId))) throw playerNotFound();
    // A concurrent deletion of the player runs either before or after the whole ban.
    await lockPlayer(transaction, playerId);
    // This locks the access record, as endPlayerSessions requires.
    if (!(await setBannedUntil(transaction, tenantId, playerId, until ?? 'infinity'))) throw playerNotFound();
    const replaced = await liftActiveBans(transaction, tenantId, playerId, bannedBy);
    const ban = await insertBan(transaction, tenantId, {
      id: newId(),
      playerId,
      reason: reason || null,
      note: note || null,
      until,
      bannedBy,
    });
    const identities = await listBannedIdentities(transaction, playerId);
    const fingerprints = identities.map((identity) => banFingerprint(vault, tenantId, identity));
    await renewBanFingerprints(transaction, { tenantId, playerId, fingerprints });
    await endPlayerSessions(transaction, playerId, { tenantId }, { reason: 'account_suspended' });
    await audit(transaction, {
      ...author,
      action: 'player.banned',
      tenantId,
      targetId: playerId,
      details: {
        banId: ban.id,
        reason: ban.reason,
        note: ban.note,
        until: ban.until,
        ...(replaced && { replacedBanId: replaced.id }),
      },
    });
    return ban;
  });
}

/** Lifts the active ban. Revoked sessions stay revoked. Idempotent. Throws player_not_found. */
export async function liftBan(
  database: Database,
  tenantId: string,
  playerId: string,
  author: AccountAuthor,
): Promise<void> {
  await database.forTenant(tenantId, playerId).transaction(async (transaction) => {
    if (!(await setBannedUntil(transaction, tenantId, playerId, null))) throw playerNotFound();
    await deleteBanFingerprints(transaction, tenantId, playerId);
    const lifted = await liftActiveBans(transaction, tenantId, playerId, author.actor.id);
    if (!lifted) return;
    await audit(transaction, {
      ...author,
      action: 'player.ban_lifted',
      tenantId,
      targetId: playerId,
      details: { banId: lifted.id },
    });
  });
}

/** A page of a player's bans in a tenant, the latest first. Throws player_not_found. */
export async function listPlayerBans(
  database: Database,
  tenantId: string,
  id: string,
  page: PageRequest,
): Promise<Page<Ban>> {
  const tenant = database.forTenant(tenantId);
  const playerId = await resolvePlayerId(tenant, tenantId, id);
  return readPage(page, listBans(tenant, tenantId, playerId, page), countBans(tenant, tenantId, playerId));
}
