import { randomBytes } from 'node:crypto';
import { createApp } from './app.ts';
import { startBackgroundWork } from './background-work.ts';
import { seedDemo, welcome, type DemoAccess } from './demo.ts';
import type { Config } from './config.ts';
import { openDatabase } from '../database/database.ts';
import { openStorage } from '../database/storage.ts';
import { hasPlatformAdmin } from '../features/studio/accounts/index.ts';
import { listen } from './listen.ts';
import { loggerOptions } from './logging.ts';
import type { App } from '../http/server.ts';
import type { Worker } from '../jobs/worker.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readOrCreateMasterKey } from '../security/master-key.ts';

/** A server that answers requests. */
export interface RunningServer {
  url: string;
  /** The credentials of a first start, for the operator only. */
  welcome: string | undefined;
  /** Finishes running requests within 10 seconds, and closes everything, the embedded PostgreSQL included. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 10_000;

/**
 * Starts a whole server: storage, migrations, partitions, API and, if wanted, the worker. If the start fails, what is open is
 * closed in reverse order.
 */
export async function serve(config: Config, { worker = true } = {}): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack();
  const storage = await openStorage(config, 'exclusive');
  opened.defer(() => storage.close());

  await prepareDatabase(storage.url);
  const masterKey = config.masterKey ?? (await readOrCreateMasterKey(config.dataDir));
  const deployment = { config, databaseUrl: storage.url, masterKey };
  let demo: DemoAccess | undefined;
  // Only the operator of a first start knows this token: it is printed, and ends with the process.
  const referenceToken = randomBytes(16).toString('hex');
  const app = await createApp({
    ...deployment,
    logger: loggerOptions(config),
    findReferenceCredentials: (token) => (token === referenceToken ? demo : undefined),
  });
  storage.keepRunning(app.log);
  let jobs: Worker | undefined;
  opened.defer(async () => {
    await finishRequests(app);
    await jobs?.stop();
  });
  if (worker) jobs = await startBackgroundWork(deployment, app.log);

  let url = '';
  const open = async (): Promise<void> => {
    url = await listen(app, config);
  };
  if (storage.embedded && config.demo) demo = await seedDemo(storage.url, masterKey, open);
  else await open();
  if (!demo && !(await hasAdministrator(storage.url)))
    app.log.warn(
      'No account administers this deployment. Create one: npm run guildhall -- bootstrap --email <address>',
    );

  const running = opened.move();
  return {
    url: config.publicUrl ?? url,
    welcome: demo && welcome(url, demo, referenceToken),
    async stop() {
      app.log.info('stopping');
      await running.disposeAsync();
      app.log.info('stopped');
    },
  };
}

async function finishRequests(app: App): Promise<void> {
  // A connection is idle after its last response, but its client keeps it open.
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  const late = setTimeout(() => app.server.closeAllConnections(), STOP_WITHIN_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}

/** Whether an account administers the deployment. */
async function hasAdministrator(databaseUrl: string): Promise<boolean> {
  const database = openDatabase(databaseUrl, { poolSize: 1, work: 'job' });
  try {
    return await hasPlatformAdmin(database);
  } finally {
    await database.close();
  }
}
