import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { newId } from '../../../core/ids.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { addRedeliveryJob } from './continue-redelivery.ts';
import type { DeliveryFilter } from './delivery-queries.ts';
import { databaseScopeOf, lockEndpoint, type EndpointRef } from './queries.ts';
import { requireEnabled } from './redeliver.ts';
import {
  cancelRunning,
  findRedelivery,
  insertRedelivery,
  isRedeliveryRunning,
  type Redelivery,
} from './redelivery-queries.ts';

/**
 * Starts to send the deliveries that match now, oldest first. The worker does it in steps. Throws `not_found`,
 * `webhook_disabled`, and `redelivery_running` if the endpoint has a running redelivery.
 */
export async function startRedelivery(
  { database, jobs }: { database: Database; jobs: Jobs },
  author: Author,
  ref: EndpointRef,
  filter: DeliveryFilter,
): Promise<Redelivery> {
  const { webhookId, ...scope } = ref;
  return databaseScopeOf(database, ref).transaction(async (transaction) => {
    await requireEnabled(transaction, ref);
    if (await isRedeliveryRunning(transaction, webhookId)) throw new ProblemError('redelivery_running');
    const created = await insertRedelivery(transaction, { id: newId(), endpointId: webhookId }, filter);
    if (created.status === 'running')
      await addRedeliveryJob(jobs, transaction, { endpointId: webhookId, redeliveryId: created.id, step: 1 });
    const { deliveryIds: _, ...named } = filter;
    const details = { redeliveryId: created.id, total: created.total, ...named };
    await auditTrail(transaction, [
      { ...author, action: 'webhook.redelivery_started', ...scope, targetId: webhookId, details },
    ]);
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
  ref: EndpointRef,
  redeliveryId: string,
): Promise<Redelivery> {
  const { webhookId, ...scope } = ref;
  return databaseScopeOf(database, ref).transaction(async (transaction) => {
    if (!(await lockEndpoint(transaction, ref))) throw new ProblemError('not_found');
    const cancelled = await cancelRunning(transaction, webhookId, redeliveryId);
    if (!cancelled) return requireRedelivery(await findRedelivery(transaction, webhookId, redeliveryId));
    const details = { redeliveryId };
    await auditTrail(transaction, [
      { ...author, action: 'webhook.redelivery_cancelled', ...scope, targetId: webhookId, details },
    ]);
    return cancelled;
  });
}

/** Throws `not_found`. */
export function requireRedelivery(found: Redelivery | undefined): Redelivery {
  if (!found) throw new ProblemError('not_found', 'The webhook does not have this redelivery.');
  return found;
}
