import pg from 'pg';

/** A database on all nodes of a cluster of Citus, without tables. */
export interface CitusDatabase {
  /** The URL of the database on the coordinator. */
  url: string;
  /** The URLs of the database on the other nodes. */
  workers: string[];
}

/** More shards take longer to create and drop. */
const SHARDS = 8;

/**
 * Creates a database on all nodes of the cluster of `cluster`, and runs `prepare` on it. A superuser needs no password between the nodes.
 * Roles belong to all databases, and two transactions cannot change them at the same time. So `prepare` runs alone on the cluster.
 */
export async function createCitusDatabase(
  cluster: string,
  name: string,
  prepare: (url: string) => Promise<unknown>,
): Promise<CitusDatabase> {
  const url = withDatabase(cluster, name);
  const workers = await listWorkers(cluster, url);
  const address = (node: string): string => `'${new URL(node).hostname}', ${new URL(node).port || 5432}`;
  const lock = new pg.Client({ connectionString: cluster });
  await lock.connect();
  try {
    await lock.query(`SELECT pg_advisory_lock(hashtext('TEST_CITUS_URL'))`);
    for (const node of [url, ...workers]) {
      await onNode(withDatabase(node, 'postgres'), `CREATE DATABASE ${name}`);
      await onNode(node, 'CREATE EXTENSION citus');
    }
    await onNode(url, `ALTER DATABASE ${name} SET citus.shard_count = ${SHARDS}`);
    await onNode(url, `SELECT citus_set_coordinator_host(${address(url)})`);
    for (const worker of workers) await onNode(url, `SELECT citus_add_node(${address(worker)})`);
    await prepare(url);
  } finally {
    await lock.end();
  }
  return { url, workers };
}

/** The workers of the cluster of a database, as URLs of the same user and database, or of the database of `url`. */
export async function listWorkers(of: string, url = of): Promise<string[]> {
  const workers = await onNode(
    of,
    'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 AND isactive ORDER BY nodeid',
  );
  return workers.map(({ host, port }) => {
    const worker = new URL(url);
    worker.host = `${host as string}:${port as number}`;
    return worker.href;
  });
}

/** Runs one statement in the database of `url`. */
export async function onNode(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/\/[^/?]+(\?|$)/, `/${database}$1`);
}
