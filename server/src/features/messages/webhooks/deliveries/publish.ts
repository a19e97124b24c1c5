import type { Querier } from '../../../../database/database.ts';
import { cachedSerializers } from '../../../../http/validation/schema-compilers.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import { idFrom, newId } from '../../../../core/ids.ts';
import { now } from '../../../../core/timestamps.ts';
import {
  eventCatalogue,
  type PublishedEventType,
  type TenantEvent,
  type WebhookEvent,
} from '../event-types.ts';
import { listSubscribers, listSubscribersOfTenants } from '../queries.ts';
import { insertDeliveries } from './queries.ts';
import { addDeliveryJobs } from './queue.ts';

/**
 * Creates deliveries for all enabled webhooks of the tenant, the workspace and the deployment that subscribe to the event.
 * If the caller's transaction commits, the worker sends them within about 1 second and at least once.
 */
export async function publish(
  { jobs }: { jobs: Jobs },
  transaction: Querier,
  event: WebhookEvent<PublishedEventType>,
  happenedAt = now(),
): Promise<void> {
  const webhooks = await listSubscribers(transaction, { ...event.data, type: event.type });
  if (webhooks.length === 0) return;
  await deliver(
    jobs,
    transaction,
    webhooks.map(({ id }) => id),
    event,
    happenedAt,
  );
}

/** Creates deliveries of an event to the given webhooks. Returns the IDs of the deliveries. */
export async function deliver(
  jobs: Jobs,
  transaction: Querier,
  webhookIds: string[],
  event: WebhookEvent,
  happenedAt = now(),
): Promise<string[]> {
  const body = serialiseBody(event, happenedAt);
  const deliveries = webhookIds.map((webhookId) => ({ id: newId(), webhookId, body, turn: 1 }));
  await insertDeliveries(transaction, event.type, deliveries);
  await addDeliveryJobs(jobs, transaction, deliveries);
  return deliveries.map(({ id }) => id);
}

/**
 * Publishes an event to the webhooks of each of the tenants, like {@link publish}, with as many statements as for one tenant. Runs in the
 * platform scope. Idempotent: the ids of the deliveries follow from the event, and a second job of a delivery does nothing.
 */
export async function publishToTenants(
  { jobs }: { jobs: Jobs },
  transaction: Querier,
  tenantIds: string[],
  { type, data, happenedAt }: TenantEvent & { happenedAt: string },
): Promise<void> {
  const subscribers = await listSubscribersOfTenants(transaction, type, tenantIds);
  if (subscribers.length === 0) return;
  const deliveries = subscribers.map(({ webhookId, ...tenant }) => ({
    id: idFrom(happenedAt, JSON.stringify([type, data, tenant.tenantId, webhookId])),
    webhookId,
    body: serialiseBody({ type, data: { ...tenant, ...data } } as WebhookEvent, happenedAt),
    turn: 1,
  }));
  await insertDeliveries(transaction, type, deliveries, happenedAt);
  await addDeliveryJobs(jobs, transaction, deliveries);
}

const serializers = cachedSerializers();

/** Writes only the members of the schema. Every attempt sends the same bytes, because the signature covers them. */
function serialiseBody({ type, data }: WebhookEvent, timestamp: string): string {
  return serializers({ schema: eventCatalogue[type].body })({ type, timestamp, data });
}
