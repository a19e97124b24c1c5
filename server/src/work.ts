import pg from 'pg';
import { pino } from 'pino';
import type { Config } from './config.ts';
import { migrate } from './database/migrate.ts';
import { openStorage } from './database/storage.ts';
import { startWorker } from './jobs/worker.ts';
import { loggerOptions } from './logging.ts';
import { scheduledJobs } from './scheduled-jobs.ts';

/** Starts a worker without the API, beside any number of servers and workers on the same database. */
export async function work(config: Config): Promise<{ stop(): Promise<void> }> {
  await using opened = new AsyncDisposableStack();
  const storage = await openStorage(config, 'visit');
  opened.defer(() => storage.close());
  await migrate(storage.url);
  const owner = new pg.Pool({ connectionString: storage.url, max: 2, application_name: 'guildhall owner' });
  owner.on('error', () => {});
  opened.defer(() => owner.end());
  const worker = await startWorker(
    storage.url,
    scheduledJobs(owner, storage.url),
    pino(loggerOptions(config)),
  );
  opened.defer(() => worker.stop());
  const running = opened.move();
  return { stop: () => running.disposeAsync() };
}
