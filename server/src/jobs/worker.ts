import type { FastifyBaseLogger } from 'fastify';
import { PgBoss } from 'pg-boss';

/** Work that repeats by the clock, on one process of the deployment at a time, and survives any of them. */
export interface ScheduledJob {
  name: string;
  /** When to run, as a cron expression in UTC. */
  cron: string;
  run(): Promise<void>;
}

export interface Worker {
  /** Lets running jobs end, for 10 seconds at most. */
  stop(): Promise<void>;
}

/** Works on scheduled jobs, whose queue lives in the database of `url` (schema pgboss). */
export async function startWorker(
  url: string,
  jobs: ScheduledJob[],
  logger: FastifyBaseLogger,
): Promise<Worker> {
  const boss = new PgBoss({ connectionString: url, application_name: 'guildhall worker', max: 3 });
  boss.on('error', (error) => logger.error({ err: error }, 'the job queue had a problem'));
  await boss.start();
  for (const job of jobs) {
    await boss.createQueue(job.name);
    await boss.schedule(job.name, job.cron, null, { tz: 'UTC', retryLimit: 5, retryBackoff: true });
    await boss.work(job.name, { pollingIntervalSeconds: 30 }, async () => {
      await job.run();
      logger.info({ job: job.name }, 'a scheduled job ran');
    });
  }
  return { stop: () => boss.stop({ graceful: true, timeout: 10_000 }) };
}
