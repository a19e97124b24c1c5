import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { announceAgreement, announceRemoval, type RotatedKey } from '../paid-keys/index.ts';
import { findPlan, type TenantKey } from './queries.ts';

/** Notifies the workspaces of a key that it has another payer, or that it is a new key with a payer. */
export async function announcePayer(
  services: MailServices,
  transaction: Querier,
  author: Author,
  { id: keyId, prefix, tenantId, subscriberWorkspaceId: payerId }: TenantKey & { tenantId: string },
  { previousPayerId = null, rotated }: { previousPayerId?: string | null; rotated?: RotatedKey } = {},
): Promise<void> {
  if (payerId === previousPayerId) return;
  const plan = await findPlan(transaction, tenantId);
  if (!plan) return;
  const key = { keyId, prefix, tenantId, ownWorkspaceId: plan.workspaceId };
  if (previousPayerId) await announceRemoval(services, transaction, author, previousPayerId, key);
  if (payerId) await announceAgreement(services, transaction, author, { payerId, ...key }, rotated);
}
