import type { Querier } from '../../../database/database.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import { insertDeliveries } from './delivery-queries.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import type { EventType, PublishedEventType } from './event-types.ts';
import { listSubscribers } from './queries.ts';

/** An event for webhooks. */
export interface PublishedEvent {
  type: PublishedEventType;
  workspaceId: string;
  tenantId?: string;
  /** The payload in addition to the workspace and the tenant. Must not contain secrets. */
  data: Record<string, unknown>;
}

/**
 * Creates deliveries for all enabled webhooks of the tenant, the workspace and the deployment that subscribe to the event.
 * If the caller's transaction commits, the worker sends them within about 1 second and at least once.
 */
export async function publish(
  { jobs }: { jobs: Jobs },
  transaction: Querier,
  event: PublishedEvent,
): Promise<void> {
  const webhooks = await listSubscribers(transaction, event);
  if (webhooks.length === 0) return;
  await deliver(
    jobs,
    transaction,
    webhooks.map(({ id }) => id),
    event,
  );
}

/** Creates deliveries of an event to the given webhooks. Returns the IDs of the deliveries. */
export async function deliver(
  jobs: Jobs,
  transaction: Querier,
  webhookIds: string[],
  {
    type,
    ...event
  }: Omit<PublishedEvent, 'type' | 'workspaceId'> & { type: EventType; workspaceId?: string },
): Promise<string[]> {
  const body = serialiseBody(type, event);
  const deliveries = webhookIds.map((webhookId) => ({ id: newId(), webhookId, turn: 1 }));
  await insertDeliveries(transaction, deliveries, { type, body });
  await addDeliveryJobs(jobs, transaction, deliveries);
  return deliveries.map(({ id }) => id);
}

/** Every attempt sends the same bytes, because the signature covers the bytes. */
function serialiseBody(
  type: EventType,
  { workspaceId, tenantId, data }: { workspaceId?: string; tenantId?: string; data: Record<string, unknown> },
): string {
  return JSON.stringify({ type, timestamp: now(), data: { workspaceId, tenantId, ...data } });
}
