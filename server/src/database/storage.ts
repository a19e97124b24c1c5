import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../core/operator-error.ts';
import type { Log } from '../core/log.ts';
import { advisoryLocks, tryLock } from './advisory-locks.ts';
import { hasDatabase } from './embedded/data-folder.ts';
import { startEmbeddedServer, type EmbeddedServer } from './embedded/embedded-server.ts';
import { isDuplicateDatabase, isNotReady } from './errors.ts';
import { createClient } from './client.ts';
import { checkDurability, checkExternalServer } from './external-server.ts';

/** The location of the database, and the locks on it. */
export interface Storage {
  /** The connection string of the database's owner. */
  url: string;
  embedded: boolean;
  /** Restarts an embedded PostgreSQL when it ends, and takes the locks again, until {@link close}. */
  keepRunning(log: Log<'warn' | 'error'>): void;
  /** Resolves if another server has taken the exclusive lock before {@link keepRunning} took it again. Then this one must end. */
  lockLost: Promise<OperatorError>;
  /** Releases the locks. Stops an embedded PostgreSQL, unless other processes use it: the last of them stops it. */
  close(): Promise<void>;
}

const DATABASE = 'guildhall';

/**
 * Connects to the database of `databaseUrl`. Without one, uses the embedded database in `dataDir` and starts it if
 * necessary.
 * A server opens an embedded database as `exclusive` and takes an advisory lock, which PostgreSQL releases when the
 * process ends. Throws {@link OperatorError} if another server holds the lock. Workers and commands open it as `shared`, beside each
 * other and a server. A PostgreSQL that is started here has connections for the processes of one server.
 * Throws {@link OperatorError} with `mustBeDurable` if PostgreSQL may lose what it has acknowledged, and with `mustExist` instead of
 * creating an embedded database.
 */
export async function openStorage(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  purpose: 'exclusive' | 'shared',
  { processes = 1, mustBeDurable = false, mustExist = false } = {},
): Promise<Storage> {
  if (databaseUrl) return openExternal(databaseUrl, mustBeDurable);
  if (mustExist && !(await hasDatabase(dataDir)))
    throw new OperatorError(
      `DATA_DIR is ${dataDir}, which has no database. Set DATA_DIR or DATABASE_URL as for the server, or start the server first.`,
    );
  return openEmbedded(dataDir, purpose, processes);
}

async function openExternal(url: string, mustBeDurable: boolean): Promise<Storage> {
  await checkExternalServer(url);
  if (mustBeDurable) await checkDurability(url);
  const never = new Promise<never>(() => {});
  return { url, embedded: false, keepRunning: () => {}, lockLost: never, close: async () => {} };
}

async function openEmbedded(
  dataDir: string,
  purpose: 'exclusive' | 'shared',
  processes: number,
): Promise<Storage> {
  const { promise: lockLost, resolve: endWith } = Promise.withResolvers<OperatorError>();
  const server = await startEmbeddedServer(dataDir, connectionSettings(processes));
  let lockHolder = await join(server);
  let lost = endOf(lockHolder);
  const takeLock = async (): Promise<boolean> =>
    purpose === 'shared' || (await tryLock(lockHolder, 'embeddedServer'));
  const close = async (): Promise<void> => {
    if (await isLast(lockHolder)) await server.stop();
    await lockHolder.end();
  };
  try {
    if (!(await takeLock()))
      throw new OperatorError(
        `Another Guildhall server already uses ${dataDir}. Stop it first, or set another DATA_DIR for this server.`,
      );
    await createDatabase(lockHolder);
  } catch (error) {
    await close();
    throw error;
  }

  const closing = new AbortController();
  let recovery: Promise<void> | undefined;

  /** The connection that holds the locks ends when PostgreSQL ends. It may have ended before this call. */
  const watch = (log: Log<'warn' | 'error'>): void => {
    void lost.then(() => {
      if (!closing.signal.aborted) recovery = recover(log);
    });
  };

  const recover = async (log: Log<'warn' | 'error'>): Promise<void> => {
    for (let attempt = 1; !closing.signal.aborted; attempt++) {
      try {
        lockHolder = await join(server);
        lost = endOf(lockHolder);
        // The old connection has it no longer: PostgreSQL releases the locks of a connection before it closes it. After a crash, all
        // locks are gone before it accepts a connection.
        if (!(await takeLock()))
          return endWith(
            new OperatorError(
              `Another Guildhall server has taken ${dataDir} while this one had no connection to PostgreSQL, so this one has stopped. To start it again, stop the other one first, or set another DATA_DIR.`,
            ),
          );
        watch(log);
        log.warn({ attempt }, 'PostgreSQL was restarted');
        return;
      } catch (error) {
        const seconds = Math.min(2 ** (attempt - 1), MAX_RETRY_SECONDS);
        const reason = (error as Error).message;
        log.error(
          { attempt, reason, nextAttemptInSeconds: seconds },
          'PostgreSQL has ended and cannot be restarted',
        );
        await sleep(seconds * 1000, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };

  return {
    url: server.url(DATABASE),
    embedded: true,
    keepRunning: watch,
    lockLost,
    async close() {
      closing.abort();
      await recovery;
      await close();
    },
  };
}

/** Creates the database if it is missing. */
async function createDatabase(client: pg.Client): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (found.rowCount !== 0) return;
  try {
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if (!isDuplicateDatabase(error)) throw error;
  }
}

/**
 * PostgreSQL's default of 100 is for one process on few cores. The pools take up to 3 connections a core (database.ts), and each
 * process of several up to 10 more (docs/operations.md).
 */
function connectionSettings(processes: number): Record<string, string> {
  const more = 3 * availableParallelism() + (processes > 1 ? 10 * processes : 0);
  return { max_connections: String(100 + more) };
}

/** The pauses stay short, because a full disk may have room again at any time. */
const MAX_RETRY_SECONDS = 10;

/** How often a process restarts PostgreSQL if another process stops it at the same time. */
const JOIN_ATTEMPTS = 5;

/** After a crash of one of its processes, PostgreSQL refuses connections until it has read its log again. */
const RECOVERED_WITHIN_MS = 120_000;
const RECOVERY_PAUSE_MS = 50;

/**
 * Connects as one of the processes that use PostgreSQL. Waits while it recovers from a crash. Waits for a process that stops it, and then
 * starts it again.
 */
async function join(server: EmbeddedServer): Promise<pg.Client> {
  const began = performance.now();
  for (let failures = 0; ;) {
    await server.ensureRunning();
    let client: pg.Client | undefined;
    try {
      client = await connect(server.url('postgres'));
      await client.query('SELECT pg_advisory_lock_shared($1)', [advisoryLocks.embeddedServerUse]);
      return client;
    } catch (error) {
      await client?.end();
      if (isNotReady(error) && performance.now() - began < RECOVERED_WITHIN_MS)
        await sleep(RECOVERY_PAUSE_MS);
      else if (++failures === JOIN_ATTEMPTS) throw error;
    }
  }
}

/** Returns whether no other process uses PostgreSQL. If so, processes that start wait until it has ended ({@link join}). */
async function isLast(client: pg.Client): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [advisoryLocks.embeddedServerUse]);
    return await tryLock(client, 'embeddedServerUse');
  } catch {
    // PostgreSQL has ended.
    return false;
  }
}

/** Resolves when a connection has ended. An error precedes the end, so `once` of node:events would throw it. */
const endOf = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => client.once('end', () => resolve()));

async function connect(url: string): Promise<pg.Client> {
  const client = createClient(url);
  await client.connect();
  return client;
}
