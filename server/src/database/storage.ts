import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedServer } from './embedded-server.ts';

/** Where the data is, and our claim to it. */
export interface Storage {
  /** The connection string of the database's owner. */
  url: string;
  embedded: boolean;
  /** From now on an embedded server that has ended is started again, until {@link close}. */
  keepRunning(log: RecoveryLog): void;
  /** Gives the claim back and, where this process claimed an embedded server, stops it. */
  close(): Promise<void>;
}

/** Gets one line for each attempt to start PostgreSQL again. */
export interface RecoveryLog {
  warn(fields: object, line: string): void;
  error(fields: object, line: string): void;
}

/** Thrown where another server already works on the same data folder. */
export class DataFolderInUseError extends Error {
  override name = 'DataFolderInUseError';
}

/** Thrown where the server of DATABASE_URL does not answer, or is too old. */
export class DatabaseUnusableError extends Error {
  override name = 'DatabaseUnusableError';
}

const DATABASE = 'guildhall';

/** UNIQUE NULLS NOT DISTINCT, which event definitions need, came with PostgreSQL 15. */
const OLDEST_VERSION = 150_000;

/** Any number that nothing else locks: held, for as long as it serves, by the one server of an embedded database. */
const SERVE_LOCK = 7_118_000;

/**
 * Reaches the database of `databaseUrl`, or else the embedded one in `dataDir`, starting it where it does not run.
 * An embedded database has one server: to `serve` is to hold a lock in it, which PostgreSQL frees when the process dies,
 * however it dies. Throws {@link DataFolderInUseError} where another holds it. Commands that only visit do not take it.
 */
export async function openStorage(
  location: { databaseUrl: string | undefined; dataDir: string },
  purpose: 'exclusive' | 'shared',
): Promise<Storage> {
  if (location.databaseUrl) {
    await checkServer(location.databaseUrl);
    return { url: location.databaseUrl, embedded: false, keepRunning: () => {}, close: async () => {} };
  }

  const server = await startEmbeddedServer(location.dataDir);
  let claim = await connect(server.url('postgres'));
  const granted = await takeLock(claim);
  if (!granted && purpose === 'exclusive') {
    await claim.end();
    throw new DataFolderInUseError(
      `Another Guildhall server already works on ${location.dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
    );
  }
  const found = await claim.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (found.rowCount === 0) await claim.query(`CREATE DATABASE ${DATABASE}`);

  const closing = new AbortController();
  let recovery: Promise<void> | undefined;

  /** The connection that holds our claim ends with PostgreSQL. */
  const watch = (log: RecoveryLog): void => {
    claim.once('end', () => {
      if (!closing.signal.aborted) recovery = recover(log);
    });
  };

  const recover = async (log: RecoveryLog): Promise<void> => {
    for (let attempt = 1; !closing.signal.aborted; attempt++) {
      try {
        await server.ensureRunning();
        claim = await connect(server.url('postgres'));
        await takeLock(claim);
        watch(log);
        log.warn({ attempt }, 'PostgreSQL had ended; it runs again');
        return;
      } catch (error) {
        const seconds = Math.min(2 ** (attempt - 1), MOST_SECONDS_BETWEEN_ATTEMPTS);
        const reason = (error as Error).message;
        log.error(
          { attempt, reason, nextAttemptInSeconds: seconds },
          'PostgreSQL has ended and does not start',
        );
        await wait(seconds * 1000, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };

  return {
    url: server.url(DATABASE),
    embedded: true,
    keepRunning: watch,
    async close() {
      closing.abort();
      await recovery;
      // In this order: were the claim given back first, another server could take it, and lose its database a moment later.
      if (granted) await server.stop();
      await claim.end();
    },
  };
}

/** A full disk may have room at any moment, so the pauses stay short. */
const MOST_SECONDS_BETWEEN_ATTEMPTS = 10;

async function takeLock(claim: pg.Client): Promise<boolean> {
  const { rows } = await claim.query('SELECT pg_try_advisory_lock($1) AS granted', [SERVE_LOCK]);
  return rows[0].granted as boolean;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function checkServer(url: string): Promise<void> {
  const client = await connect(url).catch((cause: Error) => {
    throw new DatabaseUnusableError(`The database of DATABASE_URL cannot be reached: ${cause.message}`, {
      cause,
    });
  });
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS name, current_setting('server_version_num')::int AS number`,
  );
  await client.end();
  const { name, number } = rows[0] as { name: string; number: number };
  if (number < OLDEST_VERSION)
    throw new DatabaseUnusableError(`DATABASE_URL leads to PostgreSQL ${name}; 15 or newer is needed.`);
}
