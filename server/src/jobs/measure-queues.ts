import { Gauge, type Registry } from 'prom-client';
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
  const gauge = (name: string, help: string, valueOf: (queue: QueueStatistics) => number) =>
    new Gauge({
      name: `guildhall_${name}`,
      help,
      labelNames: ['queue'] as const,
      registers: [registry],
      async collect() {
        this.reset();
        for (const queue of (await read()) ?? []) this.set({ queue: queue.name }, valueOf(queue));
      },
    });
  gauge(
    'jobs_waiting',
    `Jobs that may start now, at most ${MAX_COUNTED_JOBS} for each queue.`,
    ({ waiting }) => waiting,
  );
  gauge(
    'jobs_delayed',
    `Jobs that start later, such as retries, at most ${MAX_COUNTED_JOBS} for each queue.`,
    ({ delayed }) => delayed,
  );
  gauge(
    'oldest_job_seconds',
    'How long the first job of a queue has waited to start, in seconds.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge(
    'jobs_failed',
    'Jobs of the last hour whose last attempt failed, as a worker counted them last.',
    ({ failed }) => failed,
  );
  registry.registerMetric(
    new Gauge({
      name: 'guildhall_worker_silent_seconds',
      help: 'How long no worker has counted the jobs, which a worker does every 10 seconds.',
      registers: [],
      async collect() {
        const queues = await read();
        this.reset();
        // If no worker has run yet: for as long as this process knows.
        if (queues) this.set(secondsSinceWorker(queues) ?? process.uptime());
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'guildhall_database_up',
      help: '1 if PostgreSQL answers a query of this process within a second.',
      registers: [],
      async collect() {
        this.set((await read()) ? 1 : 0);
      },
    }),
  );
}
