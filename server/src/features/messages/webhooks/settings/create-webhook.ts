import { lockUntilCommit } from '../../../../database/advisory-locks.ts';
import type { Database, Querier } from '../../../../database/database.ts';
import type { Author } from '../../../../core/author.ts';
import type { Vault } from '../../../../security/vault.ts';
import { newId } from '../../../../core/ids.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { findTenant } from '../../../studio/tenants/index.ts';
import { auditWebhook } from '../audit-webhook.ts';
import type { PublishedEventType } from '../event-types.ts';
import { countWebhooks, insertWebhook, scopeOfOwner, type Webhook, type WebhookOwner } from '../queries.ts';
import { generateSecret, sealSecret } from '../sign.ts';
import { checkUrl, settingsOf, toAuditSettings, type UrlRules } from './webhook-settings.ts';

/** The limit per workspace, because each event creates a delivery for each webhook. */
const MAX_WEBHOOKS = 50;

export interface NewWebhook {
  url: string;
  /** Restricts the webhook to the events of one tenant. Bodies for webhooks of the deployment do not declare it. */
  tenantId?: string | null;
  eventTypes?: PublishedEventType[] | null;
  description?: string | null;
}

/**
 * Creates a webhook. Only this result and the result of a rotation contain a secret. Throws `webhook_url_refused`,
 * `webhook_limit`, and `not_found` for a tenant of another workspace.
 */
export async function createWebhook(
  { database, vault, config }: { database: Database; vault: Vault; config: UrlRules },
  author: Author,
  owner: WebhookOwner,
  { url, tenantId = null, eventTypes = null, description = null }: NewWebhook,
): Promise<Webhook & { secret: string }> {
  checkUrl(url, config);
  const ref = { ...owner, webhookId: newId() };
  const secret = generateSecret();
  const created = await scopeOfOwner(database, owner).transaction(async (transaction) => {
    if (tenantId !== null) await requireTenant(transaction, owner, tenantId);
    await lockUntilCommit(transaction, 'webhooks', owner.workspaceId ?? '');
    if ((await countWebhooks(transaction, owner)) >= MAX_WEBHOOKS)
      throw new ProblemError(
        'webhook_limit',
        `The limit of ${MAX_WEBHOOKS} webhooks is reached. Delete one first.`,
      );
    const inserted = await insertWebhook(
      transaction,
      { ...ref, tenantId },
      sealSecret(vault, ref.webhookId, secret),
      { url, eventTypes, description },
    );
    const details = { after: { ...toAuditSettings(settingsOf(inserted)), tenantId } };
    await auditWebhook(transaction, author, ref, 'webhook.created', details);
    return inserted;
  });
  return { ...created, secret };
}

async function requireTenant(db: Querier, { workspaceId }: WebhookOwner, tenantId: string): Promise<void> {
  const tenant = await findTenant(db, tenantId);
  if (!tenant || tenant.workspaceId !== workspaceId)
    throw new ProblemError('not_found', 'The workspace does not have this tenant.');
}
