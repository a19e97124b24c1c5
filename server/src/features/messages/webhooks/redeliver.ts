import type { Database, Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import { findDelivery, lockDelivery, restartDelivery, type Delivery } from './delivery-queries.ts';
import { deliver } from './publish.ts';
import { lockEndpoint, scopeOf, type Endpoint, type EndpointPlace } from './queries.ts';

interface RedeliveryServices {
  database: Database;
  jobs: Jobs;
}

/** Sends a test to an endpoint, as a delivery like any other. Throws not_found, and webhook_disabled. */
export async function testEndpoint(
  { database, jobs }: RedeliveryServices,
  author: Author,
  place: EndpointPlace,
): Promise<Delivery> {
  return scopeOf(database, place).transaction(async (transaction) => {
    const { id, workspaceId, tenantId } = await requireEnabled(transaction, place);
    const [deliveryId = ''] = await deliver(jobs, transaction, [id], {
      type: 'webhook.test',
      ...(workspaceId && { workspaceId }),
      ...(tenantId && { tenantId }),
      data: {},
    });
    await audit(transaction, author, place, 'webhook.tested', { deliveryId });
    return (await findDelivery(transaction, id, deliveryId))!;
  });
}

/**
 * Sends a delivery again, whatever became of it, under the same webhook-id and with all of its retries. Throws not_found,
 * webhook_disabled, and delivery_running where an attempt is just being made.
 */
export async function redeliver(
  { database, jobs }: RedeliveryServices,
  author: Author,
  place: EndpointPlace,
  deliveryId: string,
): Promise<Delivery> {
  return scopeOf(database, place).transaction(async (transaction) => {
    const { id } = await requireEnabled(transaction, place);
    const before = await lockDelivery(transaction, id, deliveryId);
    if (!before) throw new ProblemError('not_found', 'The webhook has no such delivery.');
    if (before.isBeingAttempted) throw new ProblemError('delivery_running');
    // Its job is on the way. One more would put it out of date, and whoever asks again and again wait for ever.
    if (!before.isDue)
      await addDeliveryJobs(jobs, transaction, await restartDelivery(transaction, deliveryId));
    await audit(transaction, author, place, 'webhook.redelivered', { deliveryId });
    return (await findDelivery(transaction, id, deliveryId))!;
  });
}

/** The endpoint, which is not changed until the transaction ends. */
async function requireEnabled(db: Querier, place: EndpointPlace): Promise<Endpoint> {
  const endpoint = await lockEndpoint(db, place);
  if (!endpoint) throw new ProblemError('not_found');
  if (!endpoint.enabled)
    throw new ProblemError('webhook_disabled', 'The webhook is disabled. Enable it first.');
  return endpoint;
}

function audit(
  db: Querier,
  author: Author,
  { webhookId, ...place }: EndpointPlace,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  return auditTrail(db, [{ ...author, action, ...place, targetId: webhookId, details }]);
}
