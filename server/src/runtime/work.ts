import { pino } from 'pino';
import { startBackgroundWork } from './background-work.ts';
import type { Config } from './config.ts';
import { checkDurability } from '../database/external-server.ts';
import { openStorage } from '../database/storage.ts';
import { loggerOptions } from './logging.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readOrCreateMasterKey } from '../security/master-key.ts';

/** Starts a worker without the API. Any number of servers and workers can run on one database. */
export async function work(config: Config): Promise<{ stop(): Promise<void> }> {
  await using opened = new AsyncDisposableStack();
  const storage = await openStorage(config, 'shared');
  opened.defer(() => storage.close());
  if (config.isProduction && !storage.embedded) await checkDurability(storage.url);
  await prepareDatabase(storage.url);
  const masterKey = config.masterKey ?? (await readOrCreateMasterKey(config.dataDir));
  const logger = pino(loggerOptions(config));
  const worker = await startBackgroundWork({ config, databaseUrl: storage.url, masterKey }, logger);
  opened.defer(() => worker.stop());
  const running = opened.move();
  return {
    async stop() {
      logger.info('stopping');
      await running.disposeAsync();
      logger.info('stopped');
    },
  };
}
