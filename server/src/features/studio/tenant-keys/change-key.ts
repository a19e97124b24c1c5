import type { Database } from '../../../database/database.ts';
import type { AccountAuthor, Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { hasPassed } from '../../../core/timestamps.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { recordPayerChange, requirePayer, type PayerBudget } from '../paid-keys/index.ts';
import { requireRoomForKey } from './key-limit.ts';
import { applyChange, auditedSettings, requireWithinPlan, type KeyChange } from './key-settings.ts';
import {
  findPayer,
  lockKey,
  revokeKeyRow,
  updateKey,
  type KeyReference,
  type KeySettings,
  type TenantKey,
} from './queries.ts';

export interface ChangeKeyServices extends MailServices {
  database: Database;
  payerBudget: PayerBudget;
  /** The cache of keys. */
  keys: { invalidate(tenantId: string): void };
}

/**
 * Changes the settings of a key. Throws not_found if the key has another kind or tenant. Throws conflict if it is revoked, or if
 * its payer would pay for a rotated or expired key longer. Throws too_many_attempts. Also throws the errors of creating a key.
 */
export async function changeKey(
  services: ChangeKeyServices,
  author: AccountAuthor,
  reference: KeyReference,
  change: KeyChange,
): Promise<TenantKey> {
  const { tenantId, kind, keyId } = reference;
  const { subscriberWorkspaceId: payerId = null } = change;
  if (payerId !== null) await services.payerBudget.spend(author.actor.id);
  const changed = await services.database.forTenant(tenantId).transaction(async (transaction) => {
    const isNewPayer = payerId !== null && payerId !== (await findPayer(transaction, reference));
    if (isNewPayer) await requirePayer(transaction, author, payerId);
    const before = await lockKey(transaction, reference);
    if (!before) throw new ProblemError('not_found');
    if (before.revokedAt) throw new ProblemError('conflict', 'The key is revoked. Create a new one.');
    await requireWithinPlan(transaction, tenantId, change.rateLimit);
    if (hasPassed(before.expiresAt) && change.expiresAt !== undefined)
      await requireRoomForKey(transaction, reference);
    const settings = applyChange(before, change, author);
    if (payerId !== null && payerId !== before.subscriberWorkspaceId && !isNewPayer)
      throw new ProblemError(
        'conflict',
        'The payer of the key changed at the same time. Send the change again.',
      );
    requireNoLongerPayment(before, settings);
    const after = await updateKey(transaction, reference, settings);
    const details = difference(auditedSettings(kind, before), auditedSettings(kind, after));
    if (details)
      await audit(transaction, {
        ...author,
        action: `${kind}_key.updated`,
        tenantId,
        targetId: keyId,
        details,
      });
    await recordPayerChange(services, transaction, author, { tenantId, before, after });
    return after;
  });
  services.keys.invalidate(tenantId);
  return changed;
}

/**
 * A payer agrees to one key and its successors. A rotated key that gets a later expiry would make two keys of it. An expired key
 * is no longer in the list of the payer.
 */
function requireNoLongerPayment(before: TenantKey, { subscriberWorkspaceId, expiresAt }: KeySettings): void {
  if (subscriberWorkspaceId === null || subscriberWorkspaceId !== before.subscriberWorkspaceId) return;
  if (before.expiresAt === null || !(before.successorId || hasPassed(before.expiresAt))) return;
  if (expiresAt === null || Date.parse(expiresAt) > Date.parse(before.expiresAt))
    throw new ProblemError(
      'conflict',
      'The payer does not pay for a rotated or expired key longer. To set a later expiresAt, set subscriberWorkspaceId to null.',
    );
}

/** Revokes a key permanently. Idempotent. Throws not_found if the key has another kind or tenant. */
export async function revokeKey(
  services: ChangeKeyServices,
  author: Author,
  reference: KeyReference,
): Promise<void> {
  const { tenantId, kind, keyId } = reference;
  await services.database.forTenant(tenantId).transaction(async (transaction) => {
    const key = await lockKey(transaction, reference);
    if (!key) throw new ProblemError('not_found');
    if (key.revokedAt) return;
    await revokeKeyRow(transaction, reference);
    await audit(transaction, {
      ...author,
      action: `${kind}_key.revoked`,
      tenantId,
      targetId: keyId,
      details: { name: key.name, prefix: key.prefix },
    });
    await recordPayerChange(services, transaction, author, { tenantId, before: key });
  });
  services.keys.invalidate(tenantId);
}
