import type { Querier } from '../../../database/database.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';

/**
 * Attempts at deliveries, one job each: what comes after an attempt is the next job, made with its outcome. So the queue's own
 * attempts are for workers that died or could not reach the database, and never run out.
 */
export const deliveryQueue: Queue<{ deliveryId: string; turn: number }> = {
  name: 'webhook-delivery',
  retryDelay: 2,
  retryDelayMax: 60,
  retryLimit: 100_000,
  // An attempt takes 15 s, and may have waited as long for its endpoint, and as long for its workspace.
  expireInSeconds: 60,
  atOnce: 256,
  // A receiver that never answers holds so many for 15 s, and leaves the rest to others.
  atOncePerGroup: 8,
  // A workspace whose receivers all hang holds an eighth of a worker.
  atOncePerOwner: 32,
};

/** A delivery whose turn it is, from `startsAt` on. */
export interface DueDelivery {
  id: string;
  endpointId: string;
  turn: number;
  startsAt?: string | undefined;
}

/** Adds the jobs of deliveries in the caller's transaction. */
export async function addDeliveryJobs(
  jobs: Jobs,
  transaction: Querier,
  deliveries: DueDelivery[],
): Promise<void> {
  await jobs.addAll(
    transaction,
    deliveryQueue,
    deliveries.map(({ id, endpointId, turn, startsAt }) => ({
      data: { deliveryId: id, turn },
      group: endpointId,
      startsAt,
    })),
  );
}
