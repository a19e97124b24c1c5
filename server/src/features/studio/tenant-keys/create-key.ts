import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { newOpaqueToken, visiblePrefix } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { announceAgreement, requirePayer } from '../paid-keys/index.ts';
import { applyTraits, auditedTraits, newPayer, requireWithinPlan, type KeyChange } from './key-traits.ts';
import { findPlan, insertKey, type KeyPlace, type KeyTraits, type TenantKey } from './queries.ts';

export interface NewKey extends KeyChange {
  tenantId: string;
  kind: 'game' | 'api';
  name: string;
}

/**
 * Creates a key in the caller's transaction in the tenant's scope. Only its fingerprint is stored: this answer is the only one
 * that ever holds the key. Throws invalid_request for an expiry that has passed or a limit above the plan, and what
 * {@link requirePayer} throws.
 */
export async function createKey(
  transaction: Querier,
  services: MailServices,
  author: Author,
  wanted: NewKey,
): Promise<TenantKey & { key: string }> {
  const { tenantId, kind } = wanted;
  const payerId = newPayer(kind, wanted);
  if (payerId) await requirePayer(transaction, author, payerId);
  const created = await addKey(transaction, services.vault, author, wanted);
  if (payerId) await announcePayer(services, transaction, author, tenantId, created);
  return created;
}

/** Creates a key that its own workspace pays for, in the caller's transaction in the tenant's scope. */
export function createOwnKey(
  transaction: Querier,
  vault: Vault,
  author: Author,
  wanted: Omit<NewKey, 'subscriberWorkspaceId'>,
): Promise<TenantKey & { key: string }> {
  return addKey(transaction, vault, author, { ...wanted, subscriberWorkspaceId: null });
}

async function addKey(
  transaction: Querier,
  vault: Vault,
  author: Author,
  { tenantId, kind, ...change }: NewKey,
): Promise<TenantKey & { key: string }> {
  await requireWithinPlan(transaction, tenantId, change.rateLimit);
  const traits = applyTraits(kind, { ...BLANK, name: change.name }, change, author);
  return issueKey(transaction, vault, author, { tenantId, kind }, traits);
}

/** Announces that the payer of a key has agreed. */
export async function announcePayer(
  services: MailServices,
  transaction: Querier,
  author: Author,
  tenantId: string,
  { id: keyId, prefix, subscriberWorkspaceId: payerId }: TenantKey,
): Promise<void> {
  const plan = payerId && (await findPlan(transaction, tenantId));
  if (!plan) return;
  const { workspaceId: ownWorkspaceId } = plan;
  await announceAgreement(services, transaction, author, {
    payerId,
    keyId,
    prefix,
    tenantId,
    ownWorkspaceId,
  });
}

/** Makes the secret of a key, stores its fingerprint, and audits the key. */
export async function issueKey(
  transaction: Querier,
  vault: Vault,
  author: Author,
  { tenantId, kind }: Pick<KeyPlace, 'tenantId' | 'kind'>,
  traits: KeyTraits,
): Promise<TenantKey & { key: string }> {
  const key = newOpaqueToken(kind);
  const secret = { prefix: visiblePrefix(key), fingerprint: vault.fingerprint(key) };
  const created = await insertKey(transaction, { tenantId, kind, keyId: newId() }, secret, traits);
  if (!created) throw new Error('A key was not inserted.');
  await auditTrail(transaction, [
    {
      ...author,
      action: `${kind}_key.created`,
      tenantId,
      targetId: created.id,
      details: { after: { ...auditedTraits(kind, created), prefix: created.prefix } },
    },
  ]);
  return { ...created, key };
}

const BLANK = {
  allowDataApi: false,
  subscriberWorkspaceId: null,
  subscriberAgreedBy: null,
  subscriberAgreedAt: null,
  rateLimit: null,
  rateLimitPerMinute: null,
  payloadBytesPerMinute: null,
  expiresAt: null,
};
