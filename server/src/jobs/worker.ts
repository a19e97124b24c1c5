import type { FastifyBaseLogger } from 'fastify';
import { PgBoss, type Job, type JobResult } from 'pg-boss';
import type { Queue } from './queue.ts';

/** Work that repeats by the clock, on one process of the deployment at a time, and survives any of them. */
export interface ScheduledJob {
  name: string;
  /** When to run, as a cron expression in UTC. */
  cron: string;
  run(): Promise<void>;
}

/** What is done with each job of a queue. One that throws is tried again. */
export interface QueueHandler {
  queue: Queue<object>;
  run(data: never): Promise<void>;
}

/** Joins a queue to what is done with its jobs. */
export function handle<Data extends object>(
  queue: Queue<Data>,
  run: (data: Data) => Promise<void>,
): QueueHandler {
  return { queue, run };
}

export interface Worker {
  /** Lets running jobs end, for 10 seconds at most. */
  stop(): Promise<void>;
}

/**
 * How a queue is looked into: every second, by two that each take up to five jobs at once, and again at once where there were
 * five. So one that waits for a slow server does not hold up the rest.
 */
const POLLING = {
  pollingIntervalSeconds: 1,
  localConcurrency: 2,
  batchSize: 5,
  burstWhenBatchFull: true,
  perJobResults: true,
} as const;

/** How often jobs of workers that died are looked for, in seconds. */
const SUPERVISION_SECONDS = 15;

/** Works on the queues and on scheduled jobs, all of which live in the database of `url` (schema pgboss). */
export async function startWorker(
  url: string,
  { scheduled, queued }: { scheduled: ScheduledJob[]; queued: QueueHandler[] },
  logger: FastifyBaseLogger,
): Promise<Worker> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'guildhall worker',
    max: 3,
    superviseIntervalSeconds: SUPERVISION_SECONDS,
    monitorIntervalSeconds: SUPERVISION_SECONDS,
  });
  let stopping = false;
  boss.on('error', (error) => {
    // Its connections may still be closing when the database goes down after it.
    if (!stopping) logger.error({ err: error }, 'the job queue had a problem');
  });
  await boss.start();
  for (const handler of queued) {
    await boss.work(handler.queue.name, POLLING, (jobs) =>
      Promise.all(jobs.map((job) => attempt(handler, job, logger))),
    );
  }
  for (const job of scheduled) {
    await boss.createQueue(job.name);
    await boss.schedule(job.name, job.cron, null, { tz: 'UTC', retryLimit: 5, retryBackoff: true });
    await boss.work(job.name, { pollingIntervalSeconds: 30 }, async () => {
      await job.run();
      logger.info({ job: job.name }, 'a scheduled job ran');
    });
  }
  return {
    stop() {
      stopping = true;
      return boss.stop({ graceful: true, timeout: 10_000 });
    },
  };
}

/** One attempt at a job, and what came of it, as the queue wants to be told. */
async function attempt(
  { queue, run }: QueueHandler,
  { id, data }: Job<unknown>,
  logger: FastifyBaseLogger,
): Promise<JobResult> {
  try {
    await run(data as never);
    return { id, status: 'completed' };
  } catch (error) {
    const { message } = error as Error;
    logger.warn({ queue: queue.name, job: id, reason: message }, 'a job failed, and is tried again');
    return { id, status: 'failed', output: { message } };
  }
}
