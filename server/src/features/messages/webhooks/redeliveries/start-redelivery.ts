import type { Database } from '../../../../database/database.ts';
import type { Author } from '../../../../core/author.ts';
import { newId } from '../../../../core/ids.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { auditWebhook } from '../audit-webhook.ts';
import type { DeliveryFilter } from '../deliveries/queries.ts';
import { scopeOfOwner, type WebhookRef } from '../queries.ts';
import { requireEnabled, requireWebhook } from '../require-webhook.ts';
import { addRedeliveryJob } from './continue-redelivery.ts';
import { cancelRunning, insertRedelivery, isRedeliveryRunning, type Redelivery } from './queries.ts';
import { requireRedelivery } from './read-redeliveries.ts';

/**
 * Starts to send the deliveries that match now, oldest first. The worker does it in steps. Throws `not_found`,
 * `webhook_disabled`, and `redelivery_running` if the webhook has a running redelivery.
 */
export async function startRedelivery(
  { database, jobs }: { database: Database; jobs: Jobs },
  author: Author,
  ref: WebhookRef,
  filter: DeliveryFilter,
): Promise<Redelivery> {
  const { webhookId } = ref;
  return scopeOfOwner(database, ref).transaction(async (transaction) => {
    await requireEnabled(transaction, ref);
    if (await isRedeliveryRunning(transaction, webhookId)) throw new ProblemError('redelivery_running');
    const created = await insertRedelivery(transaction, { id: newId(), webhookId }, filter);
    if (created.status === 'running')
      await addRedeliveryJob(jobs, transaction, { webhookId, redeliveryId: created.id, step: 1 });
    const { deliveryIds: _, ...named } = filter;
    const details = { redeliveryId: created.id, total: created.total, ...named };
    await auditWebhook(transaction, author, ref, 'webhook.redelivery_started', details);
    return created;
  });
}

/**
 * Starts no more deliveries. Those that are in progress are still sent and counted. Idempotent: a redelivery that has ended does
 * not change. Throws `not_found`.
 */
export async function cancelRedelivery(
  database: Database,
  author: Author,
  ref: WebhookRef,
  redeliveryId: string,
): Promise<Redelivery> {
  const { webhookId } = ref;
  return scopeOfOwner(database, ref).transaction(async (transaction) => {
    await requireWebhook(transaction, ref);
    const cancelled = await cancelRunning(transaction, webhookId, redeliveryId);
    if (!cancelled) return requireRedelivery(transaction, webhookId, redeliveryId);
    await auditWebhook(transaction, author, ref, 'webhook.redelivery_cancelled', { redeliveryId });
    return cancelled;
  });
}
