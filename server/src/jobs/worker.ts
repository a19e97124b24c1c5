import { PgBoss } from 'pg-boss';
import { Histogram } from 'prom-client';
import type { Log } from '../core/log.ts';
import { sessionOptions } from '../database/client.ts';
import { clearFuturePasses } from './clear-future-passes.ts';
import { startQueueConsumer, type QueueConsumer, type TakenJob } from './queue-consumer.ts';
import { JOBS_CHANNEL, KEPT_SECONDS, type OwnersOf, type Queue } from './queue.ts';
import { repeat } from './repeat.ts';

/** Work on a schedule. It runs on one process of the deployment at a time, and survives the loss of any process. */
export interface ScheduledJob {
  name: string;
  /** When to run, as a cron expression in UTC. */
  cron: string;
  run(): Promise<unknown>;
}

/** Runs the jobs of a queue. A job that throws is retried. */
export interface QueueHandler {
  queue: Queue<object>;
  run(data: never): Promise<unknown>;
  ownersOf?: OwnersOf | undefined;
}

export interface Worker {
  /** Waits at most 10 seconds for running jobs. */
  stop(): Promise<void>;
}

/** How often the worker looks for jobs of dead workers, in seconds. */
const SUPERVISION_SECONDS = 10;

/**
 * A scheduled job may take a day: to archive a month of a large deployment takes hours. If its worker has died, it is retried without
 * the heartbeat of that worker.
 */
const SCHEDULED = {
  expireInSeconds: 24 * 60 * 60,
  heartbeatSeconds: 60,
  deleteAfterSeconds: KEPT_SECONDS,
};

/**
 * Limits of the statements of pg-boss. If PostgreSQL does not respond, for example after a failover, the
 * second limit closes the connection. The operating system would wait for 15 minutes.
 */
const STATEMENTS = { options: sessionOptions({ statement_timeout: '30s' }), query_timeout: 40_000 };

/** How often the worker looks for times in the future. The schedules have a resolution of a minute. */
const CLEAR_EVERY_MS = 60_000;

/** How long running jobs may take when the worker stops. */
const STOP_TIMEOUT_MS = 10_000;

const duration = new Histogram({
  name: 'guildhall_job_duration_seconds',
  help: 'Seconds of one attempt of a job, by queue and result (done, failed).',
  labelNames: ['queue', 'result'] as const,
  buckets: [0.01, 0.1, 1, 10, 60, 600],
});

/** Runs queued and scheduled jobs of the database of `url` (schema pgboss). */
export async function startWorker(
  url: string,
  { scheduled, queued }: { scheduled: ScheduledJob[]; queued: QueueHandler[] },
  logger: Log<'info' | 'warn' | 'error'>,
): Promise<Worker> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'guildhall worker',
    max: 3,
    ...STATEMENTS,
    superviseIntervalSeconds: SUPERVISION_SECONDS,
    monitorIntervalSeconds: SUPERVISION_SECONDS,
  });
  let stopping = false;
  // While the database is unavailable, every queue fails at each poll, for several reasons.
  let isFailing = false;
  const health = {
    failed(error: unknown): void {
      // Connections may still be closing when the database stops.
      if (stopping || isFailing) return;
      isFailing = true;
      logger.error({ reason: (error as Error).message }, 'job queue failed');
    },
    fetched(): void {
      if (!stopping && isFailing) logger.info({}, 'job queue works again');
      isFailing = false;
    },
  };
  boss.on('error', health.failed);
  await boss.start();
  const consumers = new Map<string, QueueConsumer>();
  const notifications = await boss.getDb().listen!(
    JOBS_CHANNEL,
    (queue) => consumers.get(queue)?.notice(),
    // Notifications from the time without a connection are lost.
    () => consumers.forEach((consumer) => consumer.notice()),
  );
  const clearing = repeat(CLEAR_EVERY_MS, () => clearFuturePasses(boss), health.failed);
  for (const handler of queued)
    consumers.set(
      handler.queue.name,
      startQueueConsumer(boss, handler, (job) => attempt(handler, job, logger), health),
    );
  for (const job of scheduled) {
    await boss.createQueue(job.name, SCHEDULED);
    await boss.updateQueue(job.name, SCHEDULED);
    await boss.schedule(job.name, job.cron, null, { tz: 'UTC', retryLimit: 5, retryBackoff: true });
    // Otherwise Prometheus would not count the first failure.
    duration.zero({ queue: job.name, result: 'failed' });
    await boss.work(job.name, { pollingIntervalSeconds: 30 }, async () => {
      try {
        await measure(job.name, () => job.run());
        logger.info({ job: job.name }, 'scheduled job ran');
      } catch (error) {
        // Mostly because it has lost its connections.
        if (stopping)
          logger.warn(
            { job: job.name, reason: (error as Error).message },
            'scheduled job failed during the stop',
          );
        else logger.error({ job: job.name, err: error }, 'scheduled job failed');
        throw error;
      }
    });
  }
  return {
    async stop() {
      stopping = true;
      const stopped = [...consumers.values()].map((consumer) => consumer.stop(STOP_TIMEOUT_MS));
      await Promise.all([...stopped, clearing.stop(), notifications.close()]);
      await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS });
    },
  };
}

/** Runs one attempt of a job. Returns the error if the job must be retried. */
async function attempt(
  { queue, run }: QueueHandler,
  { id, data }: TakenJob,
  logger: Log<'info' | 'warn' | 'error'>,
): Promise<Error | undefined> {
  try {
    await measure(queue.name, () => run(data as never));
    return undefined;
  } catch (error) {
    const reason = error as Error;
    logger.warn({ queue: queue.name, job: id, reason: reason.message }, 'job failed and will be retried');
    return reason;
  }
}

async function measure(queue: string, work: () => Promise<unknown>): Promise<void> {
  const end = duration.startTimer({ queue });
  try {
    await work();
    end({ result: 'done' });
  } catch (error) {
    end({ result: 'failed' });
    throw error;
  }
}
