import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { Author } from '../../../core/author.ts';
import { newId } from '../../../core/ids.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import { banFingerprint } from '../../sign-in/login/index.ts';
import {
  insertBan,
  insertBanFingerprints,
  liftBans,
  listIdentities,
  lockPlayer,
  setBannedUntil,
  type Ban,
} from './queries.ts';

export interface BanRequest {
  tenantId: string;
  playerId: string;
  reason?: string | null;
  note?: string | null;
  until?: string | null;
}

/**
 * Bans a player from a tenant: no sign-in from now on, and every session that they have there ends, whatever is in flight.
 * The ban is of the identities too, so deleting the profile or unlinking one does not end it. A ban in force is lifted and replaced. Throws player_not_found, and invalid_request for an `until` that is past.
 */
export async function banPlayer(
  { database, vault }: { database: Database; vault: Vault },
  { tenantId, playerId, reason, note, until: sentUntil }: BanRequest,
  author: Author,
): Promise<Ban> {
  // In UTC, for PostgreSQL refuses offsets of 16 hours and more, and rounds where we cut.
  const until = sentUntil ? toMicroseconds(sentUntil) : null;
  if (until && Date.parse(until) <= Date.now())
    throw invalidField(
      'until',
      'must be in the future',
      'until must be in the future, or absent for a ban without an end.',
    );

  const bannedBy = author.actor.id!;
  return database.forTenant(tenantId).transaction(async (transaction) => {
    // So that a deletion comes after, or the identities are gone before.
    await lockPlayer(transaction, playerId);
    // For its lock: see endPlayerSessions.
    if (!(await setBannedUntil(transaction, tenantId, playerId, until ?? 'infinity')))
      throw new ProblemError('player_not_found', 'The tenant has no such player.');
    const [replaced] = await liftBans(transaction, tenantId, playerId, bannedBy);
    const ban = await insertBan(transaction, tenantId, {
      id: newId(),
      playerId,
      reason: reason || null,
      note: note || null,
      until: until ?? null,
      bannedBy,
    });
    const identities = await listIdentities(transaction, playerId);
    const fingerprints = identities.map((identity) => banFingerprint(vault, tenantId, identity));
    await insertBanFingerprints(transaction, { tenantId, playerId, fingerprints });
    await endPlayerSessions(transaction, playerId, { tenantId }, { reason: 'account_suspended' });
    await auditTrail(transaction, [
      {
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
      },
    ]);
    return ban;
  });
}
