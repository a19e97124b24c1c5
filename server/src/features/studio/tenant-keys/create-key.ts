import type { Database, Querier } from '../../../database/database.ts';
import { SYSTEM, type AccountAuthor, type Author } from '../../../core/author.ts';
import { newOpaqueToken, visiblePrefix } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import type { IdempotentRequest } from '../../../http/idempotency-key.ts';
import { audit } from '../../platform/audit/index.ts';
import { runOnce } from '../../platform/idempotency/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { recordPayerChange, requirePayer, type PayerBudget } from '../paid-keys/index.ts';
import { requireFewNewKeys, requireRoomForKey } from './key-limit.ts';
import { applyChange, auditedSettings, requireWithinPlan, type KeyChange } from './key-settings.ts';
import { insertKey, type KeyGroup, type KeySettings, type TenantKey } from './queries.ts';

interface NewKey extends KeyChange, KeyGroup {
  name: string;
}

/**
 * Creates a key. The database stores only the fingerprint of the key, so no later call can return the key, and a repeated request gets
 * the first response without it. Throws invalid_request if the expiry has passed or a limit is above the plan, key_limit, and
 * too_many_attempts. Also throws the errors of {@link requirePayer}.
 */
export async function createKey(
  services: MailServices & { database: Database; payerBudget: PayerBudget },
  author: AccountAuthor,
  wanted: NewKey,
  request: IdempotentRequest | undefined,
): Promise<TenantKey & { key?: string }> {
  const { tenantId, subscriberWorkspaceId: payerId } = wanted;
  const create = async (transaction: Querier) => {
    if (payerId) {
      // Not for a repeated request: it gets the first response, and notifies nobody.
      await services.payerBudget.spend(author.actor.id);
      await requirePayer(transaction, author, payerId);
    }
    const created = await addKey(transaction, services.vault, author, wanted);
    await recordPayerChange(services, transaction, author, { tenantId, after: created });
    return created;
  };
  const created = await services.database
    .forTenant(tenantId)
    .transaction((transaction) => runOnce(transaction, request, () => create(transaction), withoutSecret));
  // A process of an earlier version may have stored the first response, without the member.
  return { ...created, requirePlayerToken: created.requirePlayerToken ?? false };
}

function withoutSecret({ key: _, ...shown }: TenantKey & { key: string }): TenantKey & { key?: string } {
  return shown;
}

/**
 * Creates a key that its own workspace pays for, for a command of the operator or the demo. Runs in the caller's transaction in the
 * tenant's scope.
 */
export function createOwnKey(
  transaction: Querier,
  vault: Vault,
  wanted: Omit<NewKey, 'subscriberWorkspaceId'>,
): Promise<TenantKey & { key: string }> {
  return addKey(transaction, vault, SYSTEM, { ...wanted, subscriberWorkspaceId: null });
}

async function addKey(
  transaction: Querier,
  vault: Vault,
  author: Author,
  { tenantId, kind, ...change }: NewKey,
): Promise<TenantKey & { key: string }> {
  await requireWithinPlan(transaction, tenantId, change.rateLimit);
  await requireRoomForKey(transaction, { tenantId, kind });
  const settings = applyChange({ ...DEFAULT_SETTINGS, name: change.name }, change, author);
  return issueKey(transaction, vault, author, { tenantId, kind }, settings);
}

/**
 * Generates a key, stores its fingerprint, and writes the audit record. The caller has called {@link requireRoomForKey}. Throws key_limit
 * if the tenant created too many keys.
 */
export async function issueKey(
  transaction: Querier,
  vault: Vault,
  author: Author,
  { tenantId, kind }: KeyGroup,
  settings: KeySettings,
): Promise<TenantKey & { key: string }> {
  await requireFewNewKeys(transaction, { tenantId, kind });
  const key = newOpaqueToken(kind);
  const secret = { prefix: visiblePrefix(key), fingerprint: vault.fingerprint(key) };
  const created = await insertKey(transaction, { tenantId, kind, keyId: newId() }, secret, settings);
  await audit(transaction, {
    ...author,
    action: `${kind}_key.created`,
    tenantId,
    targetId: created.id,
    details: { after: { ...auditedSettings(kind, created), prefix: created.prefix } },
  });
  return { ...created, key };
}

const DEFAULT_SETTINGS = {
  allowDataApi: false,
  requirePlayerToken: false,
  subscriberWorkspaceId: null,
  subscriberAgreementId: null,
  subscriberAgreedBy: null,
  subscriberAgreedAt: null,
  rateLimit: null,
  rateLimitPerMinute: null,
  payloadBytesPerMinute: null,
  expiresAt: null,
};
