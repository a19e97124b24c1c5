import type { BaseLogger } from 'pino';
import { PgBoss } from 'pg-boss';
import { startQueueConsumer, type TakenJob } from './queue-consumer.ts';
import type { OwnersOf, Queue } from './queue.ts';

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
  ownersOf?: OwnersOf | undefined;
}

/** Joins a queue to what is done with its jobs. */
export function handle<Data extends object>(
  queue: Queue<Data>,
  run: (data: Data) => Promise<void>,
  ownersOf?: OwnersOf,
): QueueHandler {
  return { queue, run, ownersOf };
}

export interface Worker {
  /** Lets running jobs end, for 10 seconds at most. */
  stop(): Promise<void>;
}

/** How often jobs of workers that died are looked for, in seconds. */
const SUPERVISION_SECONDS = 10;

/** A problem that lasts is reported this often. */
const REPORT_AGAIN_MS = 60_000;

/** How long running jobs may take to end when the worker stops. */
const STOP_WITHIN_MS = 10_000;

/** Works on the queues and on scheduled jobs, all of which live in the database of `url` (schema pgboss). */
export async function startWorker(
  url: string,
  { scheduled, queued }: { scheduled: ScheduledJob[]; queued: QueueHandler[] },
  logger: BaseLogger,
): Promise<Worker> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'guildhall worker',
    max: 3,
    superviseIntervalSeconds: SUPERVISION_SECONDS,
    monitorIntervalSeconds: SUPERVISION_SECONDS,
  });
  let stopping = false;
  let reported = { reason: '', atMs: 0 };
  const report = (error: unknown): void => {
    // Its connections may still be closing when the database goes down after it.
    if (stopping) return;
    const { message: reason } = error as Error;
    // While the database is away every look at a queue fails for the same reason.
    if (reason === reported.reason && Date.now() - reported.atMs < REPORT_AGAIN_MS) return;
    reported = { reason, atMs: Date.now() };
    logger.error({ reason }, 'the job queue had a problem');
  };
  boss.on('error', report);
  await boss.start();
  const pumps = queued.map((handler) =>
    startQueueConsumer(boss, handler, (job) => attempt(handler, job, logger), report),
  );
  for (const job of scheduled) {
    await boss.createQueue(job.name);
    await boss.schedule(job.name, job.cron, null, { tz: 'UTC', retryLimit: 5, retryBackoff: true });
    await boss.work(job.name, { pollingIntervalSeconds: 30 }, async () => {
      await job.run();
      logger.info({ job: job.name }, 'a scheduled job ran');
    });
  }
  return {
    async stop() {
      stopping = true;
      await Promise.all(pumps.map((pump) => pump.stop(STOP_WITHIN_MS)));
      await boss.stop({ graceful: true, timeout: STOP_WITHIN_MS });
    },
  };
}

/** One attempt at a job: what failed, where it is to be tried again. */
async function attempt(
  { queue, run }: QueueHandler,
  { id, data }: TakenJob,
  logger: BaseLogger,
): Promise<Error | undefined> {
  try {
    await run(data as never);
    return undefined;
  } catch (error) {
    const reason = error as Error;
    logger.warn({ queue: queue.name, job: id, reason: reason.message }, 'a job failed, and is tried again');
    return reason;
  }
}
