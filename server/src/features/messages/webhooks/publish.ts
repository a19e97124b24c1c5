import type { Querier } from '../../../database/database.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import { insertDeliveries } from './delivery-queries.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import type { EventType, PublishedEventType } from './event-types.ts';
import { listSubscribers } from './queries.ts';

/** Something that happened, and whom it concerns. */
export interface PublishedEvent {
  type: PublishedEventType;
  workspaceId: string;
  tenantId?: string;
  /** What receivers are told, beside the workspace and the tenant. Never a secret. */
  data: Record<string, unknown>;
}

/**
 * Tells an event to every enabled endpoint that wants it: those of its tenant, of its workspace, and of the deployment. In the
 * caller's transaction: it is told if that commits, within a second or so, and at least once.
 */
export async function publish(
  { jobs }: { jobs: Jobs },
  transaction: Querier,
  event: PublishedEvent,
): Promise<void> {
  const endpoints = await listSubscribers(transaction, event);
  if (endpoints.length === 0) return;
  await deliver(
    jobs,
    transaction,
    endpoints.map(({ id }) => id),
    event,
  );
}

/** Tells an event to these endpoints, and returns the ids of the deliveries. */
export async function deliver(
  jobs: Jobs,
  transaction: Querier,
  endpointIds: string[],
  {
    type,
    ...event
  }: Omit<PublishedEvent, 'type' | 'workspaceId'> & { type: EventType; workspaceId?: string },
): Promise<string[]> {
  const body = bodyOf(type, event);
  const deliveries = endpointIds.map((endpointId) => ({ id: newId(), endpointId, turn: 1 }));
  await insertDeliveries(transaction, deliveries, { type, body });
  await addDeliveryJobs(jobs, transaction, deliveries);
  return deliveries.map(({ id }) => id);
}

/** Written once, and sent like this at every attempt: a signature is over bytes. */
function bodyOf(
  type: EventType,
  { workspaceId, tenantId, data }: { workspaceId?: string; tenantId?: string; data: Record<string, unknown> },
): string {
  return JSON.stringify({ type, timestamp: now(), data: { workspaceId, tenantId, ...data } });
}
