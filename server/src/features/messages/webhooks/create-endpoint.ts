import type { Database, Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { tenantUrlError } from '../../../outbound/tenant-url.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { findTenant } from '../../studio/tenants/index.ts';
import { sealSecret } from './endpoint-secret.ts';
import type { PublishedEventType } from './event-types.ts';
import {
  countEndpoints,
  insertEndpoint,
  lockEndpointsOf,
  type Endpoint,
  type EndpointTraits,
  type WebhookPlace,
} from './queries.ts';
import { newSecret } from './sign.ts';

/** Each event costs a delivery for each of them. */
const MOST_ENDPOINTS = 50;

export interface NewEndpoint {
  url: string;
  /** Of this tenant alone. */
  tenantId?: string | null;
  eventTypes?: PublishedEventType[] | null;
  description?: string | null;
}

/** What decides about the addresses of endpoints. */
export interface UrlRules {
  allowPrivateAddresses: boolean;
}

/**
 * Registers an endpoint. This answer and that of a rotation are the only ones that ever hold a secret. Throws
 * webhook_url_refused, not_found for a tenant of another workspace, and webhook_limit.
 */
export async function createEndpoint(
  { database, vault }: { database: Database; vault: Vault },
  rules: UrlRules,
  author: Author,
  place: WebhookPlace,
  { url, eventTypes = null, description = null, ...wanted }: NewEndpoint,
): Promise<Endpoint & { secret: string }> {
  checkUrl(url, rules);
  // The deployment has no tenants of its own: there it is a member like any other that nobody knows.
  const tenantId = (place.workspaceId !== null && wanted.tenantId) || null;
  const [webhookId, secret] = [newId(), newSecret()];
  const created = await database.transaction(async (transaction) => {
    if (tenantId !== null) await requireTenant(transaction, place, tenantId);
    await lockEndpointsOf(transaction, place);
    if ((await countEndpoints(transaction, place)) >= MOST_ENDPOINTS)
      throw new ProblemError(
        'webhook_limit',
        `The limit of ${MOST_ENDPOINTS} webhooks is reached. Delete one first.`,
      );
    const inserted = await insertEndpoint(
      transaction,
      { ...place, webhookId, tenantId },
      sealSecret(vault, webhookId, secret),
      { url, eventTypes, description },
    );
    if (!inserted) throw new Error('A webhook was not inserted.');
    const details = { after: { ...audited(traitsOf(inserted)), tenantId } };
    await auditTrail(transaction, [
      { ...author, action: 'webhook.created', ...place, targetId: webhookId, details },
    ]);
    return inserted;
  });
  return { ...created, secret };
}

/** Throws webhook_url_refused. A name that leads to a private address is found out when it is dialled. */
export function checkUrl(url: string, rules: UrlRules): void {
  const fault = tenantUrlError(url, { ...rules, allowHttp: true });
  if (fault) throw new ProblemError('webhook_url_refused', `The url ${fault}.`);
}

export function traitsOf({ url, description, eventTypes, enabled }: Endpoint): EndpointTraits {
  return { url, description, eventTypes, enabled };
}

/** What the audit trail keeps of traits. Path and query of an address may hold a token, and the trail is never erased. */
export function audited(traits: Partial<EndpointTraits>): Partial<EndpointTraits> {
  return traits.url === undefined ? traits : { ...traits, url: new URL(traits.url).origin };
}

async function requireTenant(db: Querier, { workspaceId }: WebhookPlace, tenantId: string): Promise<void> {
  const tenant = await findTenant(db, tenantId);
  if (!tenant || tenant.workspaceId !== workspaceId)
    throw new ProblemError('not_found', 'The workspace has no such tenant.');
}
