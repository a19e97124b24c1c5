import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { startBackgroundWork } from './background-work.ts';
import { seedDemo, type ReferenceAccess } from './demo.ts';
import type { Config } from './config.ts';
import { untilAborted } from '../core/concurrency/until-aborted.ts';
import { withDatabaseAt } from '../database/database.ts';
import { hasPlatformAdmin } from '../features/studio/accounts/index.ts';
import { listen } from './listen.ts';
import { loggerOptions } from './logging.ts';
import type { Drain } from '../http/draining.ts';
import type { App } from '../http/server.ts';
import type { Worker } from '../jobs/worker.ts';
import type { Channel } from '../processes/channel.ts';
import { openVault } from './open-vault.ts';
import { prepareDatabase } from './prepare-database.ts';
import { divideHashing } from '../security/passwords.ts';
import { settingWarnings } from './setting-warnings.ts';

/** The options of an operator. */
export interface ServerOptions {
  /** Whether the server also does the background work. */
  worker: boolean;
  /** How many processes answer requests. */
  processes: number;
}

/** The options of one serving process. If there are several, only one is a `worker`. */
export interface ApiServerOptions extends ServerOptions {
  databaseUrl: string;
  /** Whether this process updates the database first. */
  prepare: boolean;
  /** Whether an empty database is filled with a demo. */
  mayCreateDemo: boolean;
  /** The demo that another process of this server has created. */
  reference?: ReferenceAccess | undefined;
}

/** The services that the processes of one server share. */
interface SharedProcess {
  primary: Channel;
  /** The metrics of all processes, in the format of Prometheus. */
  readMetrics(): Promise<string>;
  /** Receives the metrics of this process. */
  registry: Registry;
}

/** A running server: one process, or several that share a listening socket. It does not own the storage. */
export interface ApiServer {
  url: string;
  /** Set if the demo was created. */
  reference: ReferenceAccess | undefined;
  log: FastifyBaseLogger;
  /** Replaces one process after another. A single process has no such function. */
  reload?(): Promise<void>;
  /** Lets clients move away, finishes running requests within 10 seconds, and closes everything that it has opened. */
  stop(how: Drain): Promise<void>;
}

const STOP_WITHIN_MS = 10_000;

/**
 * Starts to serve a database that runs: migrations, partitions, API and, if wanted, the worker. If the start fails, what is open
 * is closed in reverse order. If `interrupted` is aborted before the server listens, it rejects with its reason.
 */
export async function startApiServer(
  config: Config,
  { databaseUrl, prepare, worker, mayCreateDemo, reference, processes }: ApiServerOptions,
  interrupted: AbortSignal,
  shared?: SharedProcess,
): Promise<ApiServer> {
  await using opened = new AsyncDisposableStack();
  // Other connections may hold the locks of the migrations for long. All later steps are short.
  if (prepare) await untilAborted(interrupted, prepareDatabase(databaseUrl));
  const vault = await openVault(config, databaseUrl);
  const deployment = { config, databaseUrl, vault };
  divideHashing(processes);
  let known = reference;
  const app = await createApp({
    ...deployment,
    processes,
    primary: shared?.primary,
    ...(shared && { metrics: shared.registry, readMetrics: () => shared.readMetrics() }),
    logger: loggerOptions(config),
    findReferenceCredentials: (token) => (token === known?.token ? known.demo : undefined),
  });
  let jobs: Worker | undefined;
  // In parallel: they are independent, and a service manager may not wait for both limits.
  opened.defer(async () => {
    await Promise.all([finishRequests(app), jobs?.stop()]);
  });
  if (worker) jobs = await startBackgroundWork(deployment, app.log);

  // The last request of the start to the database is here: after the server listens, an outage does not end it.
  const isUnadministered = prepare && !(await withDatabaseAt(databaseUrl, hasPlatformAdmin));
  interrupted.throwIfAborted();
  let url = '';
  const open = async (): Promise<void> => {
    url = await listen(app, config);
  };
  const demo = mayCreateDemo ? await seedDemo(databaseUrl, vault, open) : undefined;
  if (!demo) await open();
  // Only the operator of a first start knows this token: it is printed, and ends with the server.
  const created = demo && { token: randomBytes(16).toString('hex'), demo };
  known ??= created;
  if (isUnadministered && !known)
    app.log.warn(
      'This deployment has no platform administrator. Create one: guildhall bootstrap --email <address>, ' +
        'in a checkout npm run guildhall -- bootstrap --email <address>',
    );
  if (prepare) for (const warning of settingWarnings(config)) app.log.warn(warning);

  const running = opened.move();
  return {
    url,
    reference: created,
    log: app.log,
    async stop(how) {
      await app.drain(how);
      await running.disposeAsync();
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
