import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { shareTeam } from '../paid-keys/index.ts';
import { issueKey } from './create-key.ts';
import { findPayer, lockKey, replaceKey, type KeyPlace, type TenantKey } from './queries.ts';

/**
 * Makes a key that takes the place of another one, which works on for the grace period, or until its own expiry where that
 * comes first. Of several rotations of a key one succeeds. Throws not_found for a key of another kind or tenant, and conflict
 * for one that is revoked, expired or rotated.
 */
export async function rotateKey(
  { database, vault }: { database: Database; vault: Vault },
  author: Author,
  place: KeyPlace,
  gracePeriodSeconds: number,
): Promise<TenantKey & { key: string }> {
  const { tenantId, kind, keyId } = place;
  return database.forTenant(tenantId).transaction(async (transaction) => {
    // The payer first, and then the key, as whoever takes the payer away: the successor is not missed.
    const payerId = await findPayer(transaction, place);
    if (payerId) await shareTeam(transaction, payerId);
    const old = await lockKey(transaction, place);
    if (!old) throw new ProblemError('not_found');
    if (old.subscriberWorkspaceId !== payerId)
      throw new ProblemError('conflict', 'The payer of the key changed at the same time. Rotate it again.');
    refuseUnlessCurrent(old);
    const successor = await issueKey(transaction, vault, author, place, {
      ...old,
      expiresAt: old.expiresAt === null ? null : sameLifetime(old.createdAt, old.expiresAt),
    });
    const ends = secondsFromNow(gracePeriodSeconds);
    const expiresAt =
      old.expiresAt !== null && Date.parse(old.expiresAt) < Date.parse(ends) ? old.expiresAt : ends;
    await replaceKey(transaction, place, { successorId: successor.id, expiresAt });
    await auditTrail(transaction, [
      {
        ...author,
        action: `${kind}_key.rotated`,
        tenantId,
        targetId: keyId,
        details: {
          before: { expiresAt: old.expiresAt },
          after: { expiresAt, successorId: successor.id },
        },
      },
    ]);
    return successor;
  });
}

function refuseUnlessCurrent({ revokedAt, expiresAt, successorId }: TenantKey): void {
  if (revokedAt) throw new ProblemError('conflict', 'The key is revoked. Create a new one.');
  if (successorId) throw new ProblemError('conflict', 'The key was already rotated. Rotate its successor.');
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    throw new ProblemError('conflict', 'The key has expired. Create a new one.');
}

/** A key that was made for 90 days is followed by one for 90 days. */
function sameLifetime(createdAt: string, expiresAt: string): string {
  return secondsFromNow((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000);
}
