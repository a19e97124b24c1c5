import type { OperatorError } from '../core/operator-error.ts';
import type { Config } from './config.ts';
import { openStorage, type Storage } from '../database/storage.ts';
import type { ApiServer, ServerOptions } from './api-server.ts';
import { logStop } from './logging.ts';

/** A whole server: its storage, and what answers requests. */
interface Server {
  url: string;
  /** The credentials of a first start, for the operator only. */
  welcome: string | undefined;
  /** Replaces one process after another, without an interruption. */
  reload(): Promise<void>;
  /** Resolves if another server has taken the data folder. Then this one must be stopped. */
  lockLost: Promise<OperatorError>;
  /** Finishes running requests within 10 seconds, and closes everything, the embedded PostgreSQL included. */
  stop(): Promise<void>;
}

/**
 * Starts a whole server: storage, migrations, partitions, API and, if wanted, the worker. Rejects with the reason of `interrupted` if it is
 * aborted first.
 */
export async function startServer(
  config: Config,
  options: ServerOptions,
  interrupted: AbortSignal,
): Promise<Server> {
  await using opened = new AsyncDisposableStack();
  const { processes } = options;
  const storage = await openStorage(config, 'exclusive', { processes, mustBeDurable: config.isProduction });
  opened.defer(() => storage.close());
  // The code is loaded only now: a refused folder or database is reported a second earlier, and the process that starts
  // several others takes 60 MB less.
  const serve = processes === 1 ? startAlone : (await import('./cluster/primary-process.ts')).startCluster;
  const api = await serve(config, storage, options, interrupted);
  opened.defer(() => api.stop({ reason: 'stop', drainMs: config.drainSeconds * 1000 }));
  const running = opened.move();
  let stopping: Promise<void> | undefined;
  return {
    url: config.publicUrl ?? api.url,
    welcome: api.reference && (await import('./demo.ts')).welcome(api.url, config, api.reference),
    async reload() {
      if (api.reload) await api.reload();
      else
        api.log.warn(
          'A single process cannot be replaced without an interruption. Restart the server instead, or start it with --processes 2.',
        );
    },
    lockLost: storage.lockLost,
    stop: () => (stopping ??= logStop(api.log, running)),
  };
}

/** Serves in this process. */
async function startAlone(
  config: Config,
  storage: Storage,
  options: ServerOptions,
  interrupted: AbortSignal,
): Promise<ApiServer> {
  const { startApiServer } = await import('./api-server.ts');
  const api = await startApiServer(
    config,
    {
      ...options,
      databaseUrl: storage.url,
      prepare: true,
      mayCreateDemo: storage.embedded && config.demo,
    },
    interrupted,
  );
  storage.keepRunning(api.log);
  return api;
}
