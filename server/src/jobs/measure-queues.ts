import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { readForScrape } from '../database/scrape.ts';
import { sql } from '../database/sql.ts';

interface QueueStatus {
  queue: string;
  /** Jobs that may start now. */
  waiting: number;
  /** Jobs that start later: most of them are retries. */
  delayed: number;
  /** How long the first job that may start has waited. */
  oldestSeconds: number;
}

/** Jobs of a queue that a scrape counts. They are read from an index, in about 5 ms. */
const MAX_COUNTED = 10_000;

/**
 * Registers the metrics of the queues. They come from the database, so each process exports the same values, and they are
 * right without a worker too.
 */
export function measureQueues(registry: Registry, database: Database): void {
  const read = readForScrape(() => readQueues(database));
  const gauge = (name: string, help: string, valueOf: (status: QueueStatus) => number) =>
    new Gauge({
      name: `guildhall_${name}`,
      help,
      labelNames: ['queue'] as const,
      registers: [registry],
      async collect() {
        this.reset();
        for (const status of (await read()) ?? []) this.set({ queue: status.queue }, valueOf(status));
      },
    });
  gauge(
    'jobs_waiting',
    `Jobs that may start now, at most ${MAX_COUNTED} for each queue.`,
    ({ waiting }) => waiting,
  );
  gauge(
    'jobs_delayed',
    `Jobs that start later, such as retries, at most ${MAX_COUNTED} for each queue.`,
    ({ delayed }) => delayed,
  );
  gauge(
    'oldest_job_seconds',
    'How long the first job of a queue has waited to start, in seconds.',
    ({ oldestSeconds }) => oldestSeconds,
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

/** The order of each queue is the one of its index, so that a long queue is not read as a whole. */
function readQueues(database: Database): Promise<QueueStatus[]> {
  return database.rows(sql`
    SELECT queue.name AS queue, counted.*
    FROM pgboss.queue, LATERAL (
      SELECT (count(*) FILTER (WHERE start_after <= now()))::int AS waiting,
             (count(*) FILTER (WHERE start_after > now()))::int AS delayed,
             greatest(0, coalesce(extract(epoch FROM now() - min(start_after)), 0))::float8 AS "oldestSeconds"
      FROM (SELECT start_after FROM pgboss.job
            WHERE name = queue.name AND state < 'active' AND NOT blocked
            ORDER BY priority DESC, created_on LIMIT ${MAX_COUNTED}) job
    ) counted
    WHERE queue.name !~ '^__'`);
}
