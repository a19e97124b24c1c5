import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { hasPassed } from '../../../core/timestamps.ts';
import { audit } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { readTenant } from '../tenants/index.ts';
import { auditInPayer, notifyTeams, type PaymentEnd } from './end-payments.ts';
import { paysForAnotherKey, type KeyOfPayment } from './queries.ts';

/** A key with the workspace that pays for its reads, or null if it is the key's own workspace. */
interface KeyWithPayer {
  id: string;
  prefix: string;
  subscriberWorkspaceId: string | null;
  subscriberAgreementId: string | null;
  expiresAt: string | null;
}

/** A key before and after a change. A new key has no `before`, and a revoked one no `after`. */
interface PayerChange {
  tenantId: string;
  before?: KeyWithPayer;
  after?: KeyWithPayer;
}

/**
 * If a key got another payer, writes the audit records of the paying workspaces, and notifies the teams. The caller audits the change
 * of the key.
 */
export async function recordPayerChange(
  services: MailServices,
  transaction: Querier,
  author: Author,
  { tenantId, before, after }: PayerChange,
): Promise<void> {
  if ((before?.subscriberWorkspaceId ?? null) === (after?.subscriberWorkspaceId ?? null)) return;
  const { workspaceId: ownWorkspaceId } = await readTenant(transaction, tenantId);
  const payerOf = (key: KeyWithPayer | undefined): string | null =>
    key && key.subscriberWorkspaceId !== ownWorkspaceId ? key.subscriberWorkspaceId : null;
  const oldPayerId = payerOf(before);
  const newPayerId = payerOf(after);
  const named = ({ id, prefix }: KeyWithPayer) => ({ keyId: id, prefix, tenantId, ownWorkspaceId });

  // The payment for an expired key has already ended.
  if (before && oldPayerId && !hasPassed(before.expiresAt)) {
    const end: PaymentEnd = {
      payerId: oldPayerId,
      ended: [named(before)],
      reason: !after ? 'key_revoked' : newPayerId ? 'payer_replaced' : 'payer_removed',
    };
    // The record has no IP address, because the author belongs to the other workspace.
    await auditInPayer(transaction, { actor: author.actor }, end);
    // The last key of an agreement: many rotations cause only one mail.
    if (!(await paysForAnotherKey(transaction, tenantId, before)))
      await notifyTeams(services, transaction, end);
  }
  if (after && newPayerId) {
    const agreement: Agreement = { payerId: newPayerId, ...named(after) };
    await auditAgreement(transaction, author, agreement);
    await notifyOfAgreement(services, transaction, agreement);
  }
}

/**
 * Writes the audit record of the paying workspace about the successor of a key. Notifies nobody: the agreement is the same, and the
 * other workspace could otherwise use up the mails of the payer. The record has no IP address, because its author may belong to the
 * other workspace only.
 */
export async function recordRotation(
  transaction: Querier,
  { actor }: Author,
  { tenantId, rotatedFrom, successor }: { tenantId: string; rotatedFrom: string; successor: KeyWithPayer },
): Promise<void> {
  const { id: keyId, prefix, subscriberWorkspaceId: payerId } = successor;
  if (payerId === null) return;
  const { workspaceId: ownWorkspaceId } = await readTenant(transaction, tenantId);
  if (payerId === ownWorkspaceId) return;
  await auditAgreement(
    transaction,
    { actor },
    { payerId, keyId, prefix, tenantId, ownWorkspaceId },
    { rotatedFrom },
  );
}

/** A key and the workspace that agreed to pay for its reads. */
interface Agreement extends KeyOfPayment {
  payerId: string;
}

async function auditAgreement(
  transaction: Querier,
  author: Author,
  { payerId, keyId, prefix, tenantId }: Agreement,
  details: { rotatedFrom?: string } = {},
): Promise<void> {
  await audit(transaction, {
    ...author,
    action: 'paid_key.agreed',
    workspaceId: payerId,
    targetId: keyId,
    details: { after: { prefix, tenantId }, ...details },
  });
}

/** The texts contain no names, because another workspace chose them. */
async function notifyOfAgreement(
  services: MailServices,
  transaction: Querier,
  { payerId, keyId, prefix, tenantId, ownWorkspaceId }: Agreement,
): Promise<void> {
  await notifyTeam(services, transaction, payerId, {
    type: 'paid_key.agreed',
    title: 'Your workspace pays for an API key',
    text: `An owner or admin of your workspace agreed to pay for the reads of the API key ${prefix}… of another workspace. Revoke the agreement in the list of paid keys.`,
    data: { keyId, tenantId },
  });
  await notifyTeam(services, transaction, ownWorkspaceId, {
    type: 'paid_key.agreed',
    title: 'Another workspace pays for an API key',
    text: `Another workspace pays for the reads of your API key ${prefix}… from now on.`,
    data: { keyId, payerId },
    tenantId,
  });
}
