import pg from 'pg';
import { createApp } from './app.ts';
import { seedDemo, welcome, type DemoAccess } from './bootstrap.ts';
import type { Config } from './config.ts';
import { migrate } from './database/migrate.ts';
import { makePartitions } from './database/partitions.ts';
import { openStorage } from './database/storage.ts';
import { scheduledJobs } from './scheduled-jobs.ts';
import { startWorker } from './jobs/worker.ts';
import { keptMasterKey } from './security/master-key.ts';

/** A server that answers requests. */
export interface RunningServer {
  url: string;
  /** What to show the operator of a first start, and nobody else. */
  welcome: string | undefined;
  /** Finishes what runs, for 10 seconds at most, and releases everything, an embedded PostgreSQL included. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 10_000;

/** Starts a whole server: storage, migrations, partitions, API and, unless told otherwise, the worker. */
export async function serve(config: Config, { worker = true } = {}): Promise<RunningServer> {
  const storage = await openStorage(config, 'serve');
  try {
    await migrate(storage.url);
    const owner = new pg.Pool({ connectionString: storage.url, max: 2, application_name: 'guildhall owner' });
    owner.on('error', () => {});
    await makePartitions(owner);
    const masterKey = config.masterKey ?? (await keptMasterKey(config.dataDir));
    const app = await createApp({
      config,
      databaseUrl: storage.url,
      masterKey,
      logger: { level: config.logLevel, ...prettyOnTerminals() },
    });
    const jobs = worker ? await startWorker(storage.url, scheduledJobs(owner), app.log) : undefined;
    let url = '';
    const listen = async (): Promise<void> => {
      url = await app.listen({ port: config.port, host: config.host });
    };
    let demo: DemoAccess | undefined;
    if (storage.embedded && config.demo) demo = await seedDemo(storage.url, masterKey, listen);
    else await listen();

    return {
      url: config.publicUrl ?? url,
      welcome: demo && welcome(url, demo),
      async stop() {
        const late = setTimeout(() => app.server.closeAllConnections(), STOP_WITHIN_MS).unref();
        await app.close();
        clearTimeout(late);
        await jobs?.stop();
        await owner.end();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Lines for people where people look, JSON where machines do. */
function prettyOnTerminals() {
  return process.stdout.isTTY
    ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
    : {};
}
