import type { Database, Querier } from '../../../../database/database.ts';
import type { Author } from '../../../../core/author.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { auditWebhook } from '../audit-webhook.ts';
import { scopeOfOwner, type WebhookRef } from '../queries.ts';
import { requireEnabled } from '../require-webhook.ts';
import { findDelivery, lockDelivery, restartDeliveries, type Delivery } from './queries.ts';
import { addDeliveryJobs } from './queue.ts';

/**
 * Sends a delivery again, in any state, with the same `webhook-id` and all retries. Throws `not_found`, `webhook_disabled`, and
 * `delivery_running` if an attempt is running.
 */
export async function redeliver(
  { database, jobs }: { database: Database; jobs: Jobs },
  author: Author,
  ref: WebhookRef,
  deliveryId: string,
): Promise<Delivery> {
  return scopeOfOwner(database, ref).transaction(async (transaction) => {
    const { id } = await requireEnabled(transaction, ref);
    const before = await lockDelivery(transaction, id, deliveryId);
    if (!before) throw new ProblemError('not_found', 'The webhook does not have this delivery.');
    if (before.isAttemptRunning) throw new ProblemError('delivery_running');
    await restart(jobs, transaction, { webhookId: id, deliveryIds: [deliveryId] });
    await auditWebhook(transaction, author, ref, 'webhook.redelivered', { deliveryId });
    return (await findDelivery(transaction, id, deliveryId))!;
  });
}

/**
 * Makes deliveries due now, with all retries. Deliveries that succeeded after `since` stay as they are. The caller has locked the
 * webhook.
 */
export async function restart(
  jobs: Jobs,
  transaction: Querier,
  { webhookId, deliveryIds, since }: { webhookId: string; deliveryIds: string[]; since?: string },
): Promise<void> {
  const restarted = await restartDeliveries(transaction, webhookId, deliveryIds, since);
  const due = restarted.filter(({ needsJob }) => needsJob);
  await addDeliveryJobs(jobs, transaction, due);
}
