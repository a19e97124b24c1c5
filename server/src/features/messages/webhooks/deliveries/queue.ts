import type { Querier } from '../../../../database/database.ts';
import type { Jobs, Queue } from '../../../../jobs/queue.ts';
import type { DeliveryJob } from './attempt-queries.ts';

/**
 * The queue of delivery attempts, with one job per attempt. The outcome of an attempt creates the job of the next one. The
 * retries of the queue itself cover crashed workers and database errors only, so their number is practically unlimited.
 */
export const deliveryQueue: Queue<DeliveryJob> = {
  name: 'webhook-delivery',
  retryDelay: 2,
  retryDelayMax: 60,
  retryLimit: 100_000,
  // An attempt takes up to 15 s. Before, it may wait as long for its webhook and as long for its owner.
  expireInSeconds: 60,
  atOnce: 256,
  // A receiver that never answers occupies at most this many slots for 15 s.
  atOncePerGroup: 8,
  // An account whose receivers never answer occupies at most an eighth of a worker, and less if others do too.
  atOncePerOwner: 32,
};

/** A delivery to attempt, at once or from `startsAt` on. */
export interface DueDelivery {
  id: string;
  webhookId: string;
  turn: number;
  startsAt?: string | undefined;
}

/** Enqueues delivery attempts in the caller's transaction. */
export async function addDeliveryJobs(
  jobs: Jobs,
  transaction: Querier,
  deliveries: DueDelivery[],
): Promise<void> {
  await jobs.addAll(
    transaction,
    deliveryQueue,
    deliveries.map(({ id, webhookId, turn, startsAt }) => ({
      data: { deliveryId: id, turn },
      group: webhookId,
      startsAt,
    })),
  );
}
