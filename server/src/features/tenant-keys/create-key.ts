import type { Querier } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { newOpaqueToken, visiblePrefix } from '../../security/opaque-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import { newId } from '../../shared/ids.ts';
import { auditTrail } from '../audit/index.ts';
import { applyTraits, auditedTraits, requireSubscriber, type KeyChange } from './key-traits.ts';
import { insertKey, type KeyPlace, type KeyTraits, type TenantKey } from './queries.ts';

export interface NewKey extends KeyChange {
  tenantId: string;
  kind: 'game' | 'api';
  name: string;
}

/**
 * Creates a key in the caller's transaction in the tenant's scope. Only its fingerprint is stored: this answer is the only
 * one that ever holds the key. Throws invalid_request for an expiry that has passed, and not_found for a subscriber that
 * the author is no member of.
 */
export async function createKey(
  transaction: Querier,
  vault: Vault,
  author: Author,
  { tenantId, kind, ...change }: NewKey,
): Promise<TenantKey & { key: string }> {
  const traits = applyTraits(kind, { ...BLANK, name: change.name }, change);
  await requireSubscriber(transaction, author, traits.subscriberWorkspaceId);
  return issueKey(transaction, vault, author, { tenantId, kind }, traits);
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
  rateLimit: null,
  rateLimitPerMinute: null,
  payloadBytesPerMinute: null,
  expiresAt: null,
};
