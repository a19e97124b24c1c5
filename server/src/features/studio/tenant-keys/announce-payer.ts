import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { announceAgreement, announceEndByOwner, auditRotation } from '../paid-keys/index.ts';
import { hasExpired } from './key-settings.ts';
import { findPlan, paysForAnotherKey, type TenantKey } from './queries.ts';

type KeyOfTenant = TenantKey & { tenantId: string };

/** Notifies the workspaces of a key that it has another payer, or that it is a new key with a payer. */
export async function announcePayer(
  services: MailServices,
  transaction: Querier,
  author: Author,
  key: KeyOfTenant,
  before?: TenantKey,
): Promise<void> {
  const payerId = key.subscriberWorkspaceId;
  if (payerId === (before?.subscriberWorkspaceId ?? null)) return;
  const paid = payerId && (await paidKeyOf(transaction, key));
  if (before)
    await announcePaymentEnd(
      services,
      transaction,
      author,
      { ...before, tenantId: key.tenantId },
      paid && payerId !== paid.ownWorkspaceId ? 'payer_replaced' : 'payer_removed',
    );
  if (paid) await announceAgreement(services, transaction, author, { payerId, ...paid });
}

/** Notifies the workspaces of a key that its payer no longer pays for it. The payment for an expired key has already ended. */
export async function announcePaymentEnd(
  services: MailServices,
  transaction: Querier,
  author: Author,
  before: KeyOfTenant,
  reason: 'payer_removed' | 'payer_replaced' | 'key_revoked',
): Promise<void> {
  const payerId = before.subscriberWorkspaceId;
  if (!payerId || hasExpired(before)) return;
  const key = await paidKeyOf(transaction, before);
  if (!key) return;
  const isLast = !(await paysForAnotherKey(transaction, before));
  await announceEndByOwner(services, transaction, author, { payerId, key, isLast, reason });
}

/** Writes the audit record of the payer about a successor that it pays for. */
export async function auditSuccessor(
  transaction: Querier,
  author: Author,
  successor: KeyOfTenant,
  rotatedFrom: string,
): Promise<void> {
  const payerId = successor.subscriberWorkspaceId;
  const paid = payerId && (await paidKeyOf(transaction, successor));
  if (paid) await auditRotation(transaction, author, { payerId, ...paid }, rotatedFrom);
}

async function paidKeyOf(db: Querier, { id: keyId, prefix, tenantId }: KeyOfTenant) {
  const plan = await findPlan(db, tenantId);
  return plan && { keyId, prefix, tenantId, ownWorkspaceId: plan.workspaceId };
}
