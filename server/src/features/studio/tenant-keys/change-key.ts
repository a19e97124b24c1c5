import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail, difference } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { requirePayer } from '../paid-keys/index.ts';
import { announcePayer } from './create-key.ts';
import { applyTraits, auditedTraits, newPayer, requireWithinPlan, type KeyChange } from './key-traits.ts';
import { findPayer, lockKey, revokeKeyRow, updateKey, type KeyPlace, type TenantKey } from './queries.ts';

/**
 * Changes what a key may do. Throws not_found for a key of another kind or tenant, conflict for a revoked one, and what
 * creating a key throws.
 */
export async function changeKey(
  services: MailServices & { database: Database },
  author: Author,
  place: KeyPlace,
  change: KeyChange,
): Promise<TenantKey> {
  const { tenantId, kind, keyId } = place;
  const payerId = newPayer(kind, change);
  return services.database.forTenant(tenantId).transaction(async (transaction) => {
    const isNewPayer = payerId !== null && payerId !== (await findPayer(transaction, place));
    if (isNewPayer) await requirePayer(transaction, author, payerId);
    const before = await lockKey(transaction, place);
    if (!before) throw new ProblemError('not_found');
    if (before.revokedAt) throw new ProblemError('conflict', 'The key is revoked. Create a new one.');
    await requireWithinPlan(transaction, tenantId, change.rateLimit);
    const traits = applyTraits(kind, before, change, author);
    if (payerId !== null && payerId !== before.subscriberWorkspaceId && !isNewPayer)
      throw new ProblemError(
        'conflict',
        'The payer of the key changed at the same time. Send the change again.',
      );
    const after = (await updateKey(transaction, place, traits)) ?? before;
    const details = difference(auditedTraits(kind, before), auditedTraits(kind, after));
    if (details)
      await auditTrail(transaction, [
        { ...author, action: `${kind}_key.updated`, tenantId, targetId: keyId, details },
      ]);
    if (after.subscriberWorkspaceId !== before.subscriberWorkspaceId)
      await announcePayer(services, transaction, author, tenantId, after);
    return after;
  });
}

/** Revokes a key for good. Revoking it again changes nothing. Throws not_found for a key of another kind or tenant. */
export async function revokeKey(database: Database, author: Author, place: KeyPlace): Promise<void> {
  const { tenantId, kind, keyId } = place;
  await database.forTenant(tenantId).transaction(async (transaction) => {
    const key = await lockKey(transaction, place);
    if (!key) throw new ProblemError('not_found');
    if (key.revokedAt) return;
    await revokeKeyRow(transaction, place);
    await auditTrail(transaction, [
      {
        ...author,
        action: `${kind}_key.revoked`,
        tenantId,
        targetId: keyId,
        details: { name: key.name, prefix: key.prefix },
      },
    ]);
  });
}
