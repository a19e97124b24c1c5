import type { Registry } from 'prom-client';
import { addGauge } from '../core/add-gauge.ts';
import type { Database } from '../database/database.ts';
import { readForScrape } from '../database/read-for-scrape.ts';
import {
  MAX_COUNTED_JOBS,
  readQueueStatistics,
  secondsSinceWorker,
  type QueueStatistics,
} from './queue-statistics.ts';

/**
 * Registers the metrics of the queues. They come from the database, so each process exports the same values, and they are
 * right without a worker too.
 */
export function measureQueues(registry: Registry, database: Database): void {
  const read = readForScrape(() => readQueueStatistics(database));
  const addQueueGauge = (name: string, help: string, valueOf: (queue: QueueStatistics) => number) =>
    addGauge(registry, { name, help, labels: ['queue'] }, async () =>
      (await read())?.map((queue) => ({ labels: { queue: queue.name }, value: valueOf(queue) })),
    );
  addQueueGauge(
    'guildhall_jobs_waiting',
    `Jobs that may start now, at most ${MAX_COUNTED_JOBS} for each queue.`,
    ({ waiting }) => waiting,
  );
  addQueueGauge(
    'guildhall_jobs_delayed',
    `Jobs that start later, such as retries, at most ${MAX_COUNTED_JOBS} for each queue.`,
    ({ delayed }) => delayed,
  );
  addQueueGauge(
    'guildhall_oldest_job_seconds',
    'How long the first job of a queue has waited to start, in seconds.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  addQueueGauge(
    'guildhall_jobs_failed',
    'Jobs of the last hour whose last attempt failed, as a worker counted them last.',
    ({ failed }) => failed,
  );
  addGauge(
    registry,
    {
      name: 'guildhall_worker_silent_seconds',
      help: 'How long no worker has counted the jobs, which a worker does every 10 seconds.',
    },
    async () => {
      const queues = await read();
      // If no worker has run yet: for as long as this process knows.
      return queues && (secondsSinceWorker(queues) ?? process.uptime());
    },
  );
  addGauge(
    registry,
    {
      name: 'guildhall_database_up',
      help: '1 if PostgreSQL answers a query of this process within a second.',
    },
    async () => ((await read()) ? 1 : 0),
  );
}
