import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Database, Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { tenantUrlError } from '../../../outbound/tenant-url.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { findTenant } from '../../studio/tenants/index.ts';
import type { PublishedEventType } from './event-types.ts';
import {
  countEndpoints,
  insertEndpoint,
  databaseScopeOf,
  type Endpoint,
  type EndpointSettings,
  type WebhookScope,
} from './queries.ts';
import { generateSecret, sealSecret } from './sign.ts';

/** The limit per workspace, because each event creates a delivery for each endpoint. */
const MAX_ENDPOINTS = 50;

export interface NewEndpoint {
  url: string;
  /** Restricts the endpoint to the events of one tenant. Bodies for webhooks of the deployment do not declare it. */
  tenantId?: string | null;
  eventTypes?: PublishedEventType[] | null;
  description?: string | null;
}

/** The rules for the URLs of endpoints. */
export interface UrlRules {
  allowPrivateAddresses: boolean;
}

/**
 * Creates an endpoint. Only this result and the result of a rotation contain a secret. Throws `webhook_url_refused`,
 * `webhook_limit`, and `not_found` for a tenant of another workspace.
 */
export async function createEndpoint(
  { database, vault }: { database: Database; vault: Vault },
  rules: UrlRules,
  author: Author,
  scope: WebhookScope,
  { url, tenantId = null, eventTypes = null, description = null }: NewEndpoint,
): Promise<Endpoint & { secret: string }> {
  checkUrl(url, rules);
  const [webhookId, secret] = [newId(), generateSecret()];
  const created = await databaseScopeOf(database, scope).transaction(async (transaction) => {
    if (tenantId !== null) await requireTenant(transaction, scope, tenantId);
    await lockUntilCommit(transaction, 'webhookEndpoints', scope.workspaceId ?? '');
    if ((await countEndpoints(transaction, scope)) >= MAX_ENDPOINTS)
      throw new ProblemError(
        'webhook_limit',
        `The limit of ${MAX_ENDPOINTS} webhooks is reached. Delete one first.`,
      );
    const inserted = await insertEndpoint(
      transaction,
      { ...scope, webhookId, tenantId },
      sealSecret(vault, webhookId, secret),
      { url, eventTypes, description },
    );
    if (!inserted) throw new Error('A webhook was not inserted.');
    const details = { after: { ...toAuditSettings(settingsOf(inserted)), tenantId } };
    await auditTrail(transaction, [
      { ...author, action: 'webhook.created', ...scope, targetId: webhookId, details },
    ]);
    return inserted;
  });
  return { ...created, secret };
}

/** Throws `webhook_url_refused`. The HTTP client rejects host names that resolve to private addresses. */
export function checkUrl(url: string, rules: UrlRules): void {
  const fault = tenantUrlError(url, { ...rules, allowHttp: true });
  if (fault) throw new ProblemError('webhook_url_refused', `The url ${fault}.`);
}

export function settingsOf({ url, description, eventTypes, enabled }: Endpoint): EndpointSettings {
  return { url, description, eventTypes, enabled };
}

/** Reduces the URL to its origin, because path and query may contain a token and audit records are never deleted. */
export function toAuditSettings(settings: Partial<EndpointSettings>): Partial<EndpointSettings> {
  return settings.url === undefined ? settings : { ...settings, url: new URL(settings.url).origin };
}

async function requireTenant(db: Querier, { workspaceId }: WebhookScope, tenantId: string): Promise<void> {
  const tenant = await findTenant(db, tenantId);
  if (!tenant || tenant.workspaceId !== workspaceId)
    throw new ProblemError('not_found', 'The workspace does not have this tenant.');
}
