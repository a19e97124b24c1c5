import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createCitusDatabase, onNode, withDatabase } from './citus-database.ts';
import { eventually } from './eventually.ts';
import {
  dataFolder,
  exitOf,
  killPostmaster,
  postgresOf,
  postmasterOf,
  spawnCommand,
} from './server-process.ts';

/**
 * The data of servers under test: the PostgreSQL that they embed, or a database on the cluster of TEST_CITUS_URL. The nodes of the
 * cluster must run on this machine.
 */
export interface Storage<Node extends string = string> {
  /** Options of the servers. */
  options: { dataDir: string; env: Record<string, string> };
  /** The servers of PostgreSQL. */
  nodes: Node[];
  /** Runs a statement as the owner. */
  query(statement: string): Promise<Record<string, unknown>[]>;
  /** Kills all processes of these nodes at once. */
  kill(nodes: Node[]): void;
  /** Waits until killed nodes run again. */
  restart(nodes: Node[], options: { isServerRunning: boolean }): Promise<void>;
  /** Waits until each transaction of the nodes is committed or rolled back. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

export const cluster = process.env['TEST_CITUS_URL'];

/** Creates an empty database for servers under test. */
export const createStorage = (): Promise<Storage> =>
  cluster ? createCitusStorage(cluster) : Promise.resolve(createEmbeddedStorage());

function createEmbeddedStorage(): Storage {
  const folder = dataFolder();
  const dataDir = folder.path;
  const url = `postgres://guildhall@localhost/guildhall?host=${encodeURIComponent(join(dataDir, 'socket'))}`;
  let killed: number | undefined;
  return {
    options: { dataDir, env: {} },
    nodes: ['PostgreSQL'],
    query: (statement) => onNode(url, statement),
    kill(nodes) {
      if (nodes.length === 0) return;
      killed = postgresOf(dataDir);
      killPostmaster(killed);
    },
    async restart(nodes, { isServerRunning }) {
      // A running server starts it again. Otherwise the next server does.
      if (isServerRunning && nodes.length > 0)
        await eventually(() => ![undefined, killed].includes(postgresOf(dataDir)));
    },
    settle: () => Promise.resolve(),
    async remove() {
      folder.remove();
    },
  };
}

export type CitusNode = 'coordinator' | 'workers';

/** Creates a database on a cluster, migrated by `guildhall migrate`. */
export async function createCitusStorage(
  of: string,
): Promise<Storage<CitusNode> & { urls: Record<CitusNode, string[]> }> {
  const folder = dataFolder();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const env = { DATABASE_URL: withDatabase(of, name), MASTER_KEY: randomBytes(32).toString('hex') };
  const options = { dataDir: folder.path, env };
  const { url, workers } = await createCitusDatabase(of, name, async () => {
    const migration = spawnCommand('migrate', options);
    assert.equal(await exitOf(migration.child), 0, migration.output());
  });
  const urls = { coordinator: [url], workers };
  const clusterOf = async (node: string): Promise<Cluster> => {
    const [row] = await onNode(
      withDatabase(node, 'postgres'),
      `SELECT current_setting('data_directory') AS folder, (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS binaries`,
    );
    return row as unknown as Cluster;
  };
  const clusters = {
    coordinator: [await clusterOf(url)],
    workers: await Promise.all(workers.map(clusterOf)),
  };
  const all = [url, ...workers];
  return {
    urls,
    options,
    nodes: ['coordinator', 'workers'],
    query: (statement) => onNode(url, statement),
    kill(nodes) {
      for (const node of nodes) for (const { folder: at } of clusters[node]) killPostmaster(postmasterOf(at));
    },
    async restart(nodes) {
      // A killed process may need a moment to end.
      for (const node of nodes) for (const one of clusters[node]) await eventually(() => isStarted(one));
    },
    async settle() {
      // Citus recovers prepared transactions by itself, within a minute.
      const isSettled = async (node: string): Promise<boolean> =>
        (await onNode(node, 'SELECT FROM pg_prepared_xacts WHERE database = current_database()')).length ===
        0;
      for (const node of all)
        await eventually(() => isSettled(node), 'the recovery of prepared transactions');
    },
    async remove() {
      for (const node of all)
        await onNode(withDatabase(node, 'postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      folder.remove();
    },
  };
}

/** The data folder and the programs of a node. */
interface Cluster {
  folder: string;
  binaries: string;
}

/** Starts a node with the options of its last start. */
function isStarted({ folder, binaries }: Cluster): boolean {
  const { uid, gid } = statSync(folder);
  const args = ['restart', '-D', folder, '-w', '-s', '-l', join(folder, 'restarts.log')];
  try {
    execFileSync(join(binaries, 'pg_ctl'), args, {
      cwd: '/',
      stdio: 'ignore',
      env: { LC_ALL: 'C' },
      uid,
      gid,
    });
    return true;
  } catch {
    return false;
  }
}
