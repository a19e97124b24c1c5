import type { Database, Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail, type AuditAction } from '../../platform/audit/index.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import { findDelivery, lockDelivery, restartDeliveries, type Delivery } from './delivery-queries.ts';
import { deliver } from './publish.ts';
import { databaseScopeOf, lockEndpoint, type Endpoint, type EndpointRef } from './queries.ts';

interface RedeliveryServices {
  database: Database;
  jobs: Jobs;
}

/** Creates a `webhook.test` delivery for an endpoint. Throws `not_found` and `webhook_disabled`. */
export async function testEndpoint(
  { database, jobs }: RedeliveryServices,
  author: Author,
  ref: EndpointRef,
): Promise<Delivery> {
  return databaseScopeOf(database, ref).transaction(async (transaction) => {
    const { id, workspaceId, tenantId } = await requireEnabled(transaction, ref);
    const [deliveryId = ''] = await deliver(jobs, transaction, [id], {
      type: 'webhook.test',
      ...(workspaceId && { workspaceId }),
      ...(tenantId && { tenantId }),
      data: {},
    });
    await audit(transaction, author, ref, 'webhook.tested', { deliveryId });
    return (await findDelivery(transaction, id, deliveryId))!;
  });
}

/**
 * Sends a delivery again, in any state, with the same `webhook-id` and all retries. Throws `not_found`, `webhook_disabled`, and
 * `delivery_running` if an attempt is running.
 */
export async function redeliver(
  { database, jobs }: RedeliveryServices,
  author: Author,
  ref: EndpointRef,
  deliveryId: string,
): Promise<Delivery> {
  return databaseScopeOf(database, ref).transaction(async (transaction) => {
    const { id } = await requireEnabled(transaction, ref);
    const before = await lockDelivery(transaction, id, deliveryId);
    if (!before) throw new ProblemError('not_found', 'The webhook does not have this delivery.');
    if (before.isAttemptRunning) throw new ProblemError('delivery_running');
    await restart(jobs, transaction, { endpointId: id, deliveryIds: [deliveryId] });
    await audit(transaction, author, ref, 'webhook.redelivered', { deliveryId });
    return (await findDelivery(transaction, id, deliveryId))!;
  });
}

/**
 * Makes deliveries due now, with all retries, except those that were attempted with success since a time. The caller has locked
 * the endpoint.
 */
export async function restart(
  jobs: Jobs,
  transaction: Querier,
  { endpointId, deliveryIds, since }: { endpointId: string; deliveryIds: string[]; since?: string },
): Promise<void> {
  const restarted = await restartDeliveries(transaction, endpointId, deliveryIds, since);
  const due = restarted.filter(({ needsJob }) => needsJob);
  await addDeliveryJobs(jobs, transaction, due);
}

/** Locks the endpoint until the transaction ends. Throws `not_found` and `webhook_disabled`. */
export async function requireEnabled(db: Querier, ref: EndpointRef): Promise<Endpoint> {
  const endpoint = await lockEndpoint(db, ref);
  if (!endpoint) throw new ProblemError('not_found');
  if (!endpoint.enabled)
    throw new ProblemError('webhook_disabled', 'The webhook is disabled. Enable it first.');
  return endpoint;
}

function audit(
  db: Querier,
  author: Author,
  { webhookId, ...scope }: EndpointRef,
  action: AuditAction,
  details: Record<string, unknown>,
): Promise<void> {
  return auditTrail(db, [{ ...author, action, ...scope, targetId: webhookId, details }]);
}
