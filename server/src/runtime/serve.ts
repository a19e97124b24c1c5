import type { Config } from './config.ts';
import { checkDurability } from '../database/external-server.ts';
import { openStorage, type Storage } from '../database/storage.ts';
import type { ServeOptions, Serving } from './serving.ts';
import { startProcesses } from './primary-process.ts';
import { startServer } from './start-server.ts';
import { welcome } from './demo.ts';

/** A server that answers requests. */
export interface RunningServer {
  url: string;
  /** The credentials of a first start, for the operator only. */
  welcome: string | undefined;
  /** Replaces one process after another, without an interruption. */
  reload(): Promise<void>;
  /** Finishes running requests within 10 seconds, and closes everything, the embedded PostgreSQL included. */
  stop(): Promise<void>;
}

/** Starts a whole server: storage, migrations, partitions, API and, if wanted, the worker. */
export async function serve(config: Config, options: ServeOptions): Promise<RunningServer> {
  await using opened = new AsyncDisposableStack();
  const storage = await openStorage(config, 'exclusive', { processes: options.processes });
  opened.defer(() => storage.close());
  if (config.isProduction && !storage.embedded) await checkDurability(storage.url);
  const start = options.processes === 1 ? startAlone : startProcesses;
  const server = await start(config, storage, options);
  opened.defer(() => server.stop());
  const running = opened.move();
  return {
    url: config.publicUrl ?? server.url,
    welcome: server.reference && welcome(server.url, server.reference),
    reload: server.reload,
    async stop() {
      server.log.info('stopping');
      await running.disposeAsync();
      server.log.info('stopped');
    },
  };
}

/** Serves in this process. */
async function startAlone(config: Config, storage: Storage, { worker }: ServeOptions): Promise<Serving> {
  const server = await startServer(config, {
    databaseUrl: storage.url,
    prepare: true,
    worker,
    mayCreateDemo: storage.embedded && config.demo,
  });
  storage.keepRunning(server.log);
  return {
    ...server,
    async reload() {
      server.log.warn(
        'A single process cannot be replaced without an interruption. Restart the server instead, or start it with --processes 2.',
      );
    },
    stop: () => server.stop('stop', config.drainSeconds * 1000),
  };
}
