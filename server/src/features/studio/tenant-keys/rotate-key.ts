import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { hasPassed, secondsFromNow } from '../../../core/timestamps.ts';
import { audit } from '../../platform/audit/index.ts';
import { lockTeamForShare, recordRotation } from '../paid-keys/index.ts';
import type { ChangeKeyServices } from './change-key.ts';
import { issueKey } from './create-key.ts';
import { requireRoomForKey } from './key-limit.ts';
import { findPayer, lockKey, replaceKey, type KeyReference, type TenantKey } from './queries.ts';

const DEFAULT_GRACE_SECONDS = 24 * 60 * 60;

/**
 * Creates the successor of a key. The old key works until the grace period ends. If its own expiry is earlier, it works until
 * then. If several rotations of one key run in parallel, one succeeds. Throws not_found if the key has another kind or tenant.
 * Throws conflict if the key is revoked, expired or already rotated. Throws key_limit: during a grace period both keys count.
 */
export async function rotateKey(
  services: ChangeKeyServices,
  author: Author,
  reference: KeyReference,
  gracePeriodSeconds: number = DEFAULT_GRACE_SECONDS,
): Promise<TenantKey & { key: string }> {
  const { tenantId, kind, keyId } = reference;
  const rotated = await services.database.forTenant(tenantId).transaction(async (transaction) => {
    // The payer is locked before the key. A transaction that ends the payment uses the same order, so it sees the successor.
    const payerId = await findPayer(transaction, reference);
    if (payerId) await lockTeamForShare(transaction, payerId);
    const old = await lockKey(transaction, reference);
    if (!old) throw new ProblemError('not_found');
    if (old.subscriberWorkspaceId !== payerId)
      throw new ProblemError('conflict', 'The payer of the key changed at the same time. Rotate it again.');
    refuseUnlessCurrent(old);
    await requireRoomForKey(transaction, reference, gracePeriodSeconds === 0 ? keyId : undefined);
    const successor = await issueKey(transaction, services.vault, author, reference, {
      ...old,
      expiresAt: old.expiresAt === null ? null : sameLifetime(old.createdAt, old.expiresAt),
    });
    const ends = secondsFromNow(gracePeriodSeconds);
    const expiresAt =
      old.expiresAt !== null && Date.parse(old.expiresAt) < Date.parse(ends) ? old.expiresAt : ends;
    await replaceKey(transaction, reference, { successorId: successor.id, expiresAt });
    await audit(transaction, {
      ...author,
      action: `${kind}_key.rotated`,
      tenantId,
      targetId: keyId,
      details: {
        before: { expiresAt: old.expiresAt },
        after: { expiresAt, successorId: successor.id },
      },
    });
    await recordRotation(transaction, author, { tenantId, rotatedFrom: keyId, successor });
    return successor;
  });
  services.keys.invalidate(tenantId);
  return rotated;
}

function refuseUnlessCurrent(key: TenantKey): void {
  if (key.revokedAt) throw new ProblemError('conflict', 'The key is revoked. Create a new one.');
  if (key.successorId)
    throw new ProblemError('conflict', 'The key was already rotated. Rotate its successor.');
  if (hasPassed(key.expiresAt)) throw new ProblemError('conflict', 'The key has expired. Create a new one.');
}

/** Timestamps of the API have years of four digits. */
const LAST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The successor of a key that was created for 90 days is also valid for 90 days. */
function sameLifetime(createdAt: string, expiresAt: string): string {
  const lifetimeMs = Date.parse(expiresAt) - Date.parse(createdAt);
  return new Date(Math.min(Date.now() + lifetimeMs, LAST_TIME_MS)).toISOString();
}
