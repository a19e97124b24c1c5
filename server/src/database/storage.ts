import pg from 'pg';
import { startEmbeddedServer } from './embedded-server.ts';

/** Where the data is, and our claim to it. */
export interface Storage {
  /** The connection string of the database's owner. */
  url: string;
  embedded: boolean;
  /** Gives the claim back and, where this process claimed an embedded server, stops it. */
  close(): Promise<void>;
}

/** Thrown where another server already works on the same data folder. */
export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse';
}

/** Thrown where the server of DATABASE_URL does not answer, or is too old. */
export class DatabaseUnusable extends Error {
  override name = 'DatabaseUnusable';
}

const DATABASE = 'guildhall';

/** UNIQUE NULLS NOT DISTINCT, which event definitions need, came with PostgreSQL 15. */
const OLDEST_VERSION = 150_000;

/** Any number that nothing else locks: held, for as long as it serves, by the one server of an embedded database. */
const SERVE_LOCK = 7_118_000;

/**
 * Reaches the database of `databaseUrl`, or else the embedded one in `dataDir`, starting it where it does not run.
 * An embedded database has one server: to `serve` is to hold a lock in it, which PostgreSQL frees when the process dies,
 * however it dies. Throws {@link DataFolderInUse} where another holds it. Commands that only visit do not take it.
 */
export async function openStorage(
  location: { databaseUrl: string | undefined; dataDir: string },
  purpose: 'serve' | 'visit',
): Promise<Storage> {
  if (location.databaseUrl) {
    await checkServer(location.databaseUrl);
    return { url: location.databaseUrl, embedded: false, close: async () => {} };
  }

  const server = await startEmbeddedServer(location.dataDir);
  const claim = await connect(server.url('postgres'));
  const { rows } = await claim.query('SELECT pg_try_advisory_lock($1) AS granted', [SERVE_LOCK]);
  const granted = rows[0].granted as boolean;
  if (!granted && purpose === 'serve') {
    await claim.end();
    throw new DataFolderInUse(
      `Another Guildhall server already works on ${location.dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
    );
  }
  const found = await claim.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (found.rowCount === 0) await claim.query(`CREATE DATABASE ${DATABASE}`);

  return {
    url: server.url(DATABASE),
    embedded: true,
    async close() {
      // In this order: were the claim given back first, another server could take it, and lose its database a moment later.
      if (granted) await server.stop();
      await claim.end();
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function checkServer(url: string): Promise<void> {
  const client = await connect(url).catch((cause: Error) => {
    throw new DatabaseUnusable(`The database of DATABASE_URL cannot be reached: ${cause.message}`, { cause });
  });
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS name, current_setting('server_version_num')::int AS number`,
  );
  await client.end();
  const { name, number } = rows[0] as { name: string; number: number };
  if (number < OLDEST_VERSION)
    throw new DatabaseUnusable(`DATABASE_URL leads to PostgreSQL ${name}; 15 or newer is needed.`);
}
