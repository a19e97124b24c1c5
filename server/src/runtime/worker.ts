import { pino } from 'pino';
import { untilAborted } from '../core/concurrency/until-aborted.ts';
import type { Config } from './config.ts';
import { openStorage } from '../database/storage.ts';
import { loggerOptions, logStop } from './logging.ts';
import { openVault } from './open-vault.ts';

/** Starts a worker without the API, until the start is interrupted. Any number of servers and workers can run on one database. */
export async function startWorkerProcess(
  config: Config,
  interrupted: AbortSignal,
): Promise<{ stop(): Promise<void> }> {
  await using opened = new AsyncDisposableStack();
  const storage = await openStorage(config, 'shared', {
    mustBeDurable: config.isProduction,
    mustExist: true,
  });
  opened.defer(() => storage.close());
  // Loaded here: a refused folder or database is reported a second earlier.
  const { prepareDatabase } = await import('./prepare-database.ts');
  const { startBackgroundWork } = await import('./background-work.ts');
  await untilAborted(interrupted, prepareDatabase(storage.url));
  const vault = await openVault(config, storage.url);
  const log = pino(loggerOptions(config));
  storage.keepRunning(log);
  const worker = await startBackgroundWork({ config, databaseUrl: storage.url, vault }, log);
  opened.defer(() => worker.stop());
  const running = opened.move();
  return { stop: () => logStop(log, running) };
}
