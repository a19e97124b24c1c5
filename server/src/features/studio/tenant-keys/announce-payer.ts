import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { announceAgreement, announceEndByOwner, type RotatedKey } from '../paid-keys/index.ts';
import { findPlan, type TenantKey } from './queries.ts';

/** Notifies the workspaces of a key that it has another payer, or that it is a new key with a payer. */
export async function announcePayer(
  services: MailServices,
  transaction: Querier,
  author: Author,
  key: TenantKey & { tenantId: string },
  { previousPayerId = null, rotated }: { previousPayerId?: string | null; rotated?: RotatedKey } = {},
): Promise<void> {
  const payerId = key.subscriberWorkspaceId;
  if (payerId === previousPayerId) return;
  const paid = await paidKeyOf(transaction, key);
  if (!paid) return;
  if (previousPayerId)
    await announceEndByOwner(services, transaction, author, {
      payerId: previousPayerId,
      key: paid,
      reason: 'payer_removed',
    });
  if (payerId) await announceAgreement(services, transaction, author, { payerId, ...paid }, rotated);
}

/** Notifies the payer of a key that the key is revoked. */
export async function announceRevocation(
  services: MailServices,
  transaction: Querier,
  author: Author,
  key: TenantKey & { tenantId: string },
): Promise<void> {
  const payerId = key.subscriberWorkspaceId;
  const paid = payerId && (await paidKeyOf(transaction, key));
  if (paid)
    await announceEndByOwner(services, transaction, author, { payerId, key: paid, reason: 'key_revoked' });
}

async function paidKeyOf(db: Querier, { id: keyId, prefix, tenantId }: TenantKey & { tenantId: string }) {
  const plan = await findPlan(db, tenantId);
  return plan && { keyId, prefix, tenantId, ownWorkspaceId: plan.workspaceId };
}
