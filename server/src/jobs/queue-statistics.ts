import type { Querier } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** Jobs of a queue that are counted. They are read from an index, in about 5 ms. */
export const MAX_COUNTED_JOBS = 10_000;

export interface QueueStatistics {
  name: string;
  /** Jobs that may start now, at most {@link MAX_COUNTED_JOBS}. */
  waiting: number;
  /** Jobs that start later: most of them are retries. At most {@link MAX_COUNTED_JOBS}. */
  delayed: number;
  /** Since when the first job that may start has waited. Null if none waits. */
  oldestWaitingAt: string | null;
  /** The same in seconds. 0 if none waits. */
  oldestSeconds: number;
  /** Jobs that a worker runs, as a worker counted them last. */
  running: number;
  /** Jobs of the last hour whose last attempt failed, as a worker counted them last. */
  failed: number;
  /** When a worker counted the jobs last, which it does every 10 seconds. Null if no worker has run yet. */
  countedAt: string | null;
  /** How long ago that was, by the clock of the database. */
  countedSecondsAgo: number | null;
}

/**
 * Reads the statistics of all queues. They are right without a worker too, except for the running and failed jobs. The order
 * of each queue is the one of its index, so that a long queue is not read as a whole.
 */
export function readQueueStatistics(db: Querier): Promise<QueueStatistics[]> {
  return db.rows(sql`
    SELECT queue.name, queue.active_count AS running, queue.failed_count AS failed, queue.monitor_on AS "countedAt", counted.*,
           extract(epoch FROM now() - queue.monitor_on)::float8 AS "countedSecondsAgo",
           coalesce(extract(epoch FROM now() - counted."oldestWaitingAt"), 0)::float8 AS "oldestSeconds"
    FROM pgboss.queue, LATERAL (
      SELECT (count(*) FILTER (WHERE start_after <= now()))::int AS waiting,
             (count(*) FILTER (WHERE start_after > now()))::int AS delayed,
             min(start_after) FILTER (WHERE start_after <= now()) AS "oldestWaitingAt"
      FROM (SELECT start_after FROM pgboss.job
            WHERE name = queue.name AND state < 'active' AND NOT blocked
            ORDER BY priority DESC, created_on LIMIT ${MAX_COUNTED_JOBS}) job
    ) counted
    WHERE queue.name !~ '^__'
    ORDER BY queue.name`);
}

/** How long no worker has counted the jobs. Undefined if no worker has run yet. */
export function secondsSinceWorker(queues: QueueStatistics[]): number | undefined {
  const seconds = queues.flatMap(({ countedSecondsAgo }) => countedSecondsAgo ?? []);
  return seconds.length === 0 ? undefined : Math.min(...seconds);
}
