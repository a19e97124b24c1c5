import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createCitusDatabase, onNode, withDatabase } from '../../acceptance/citus-database.ts';
import { prepareTestDatabase } from './server-database.ts';

export { withDatabase };

/**
 * The environment variable with the URL of the migrated template database. run-tests.ts starts the server, creates the
 * template and sets it.
 */
const TEMPLATE_URL = 'GUILDHALL_TEST_TEMPLATE';

/**
 * Creates a database for one test file from the migrated template. A copy of its files takes 60 ms of processor time, and the default
 * strategy of PostgreSQL 225 ms. With TEST_CITUS_URL it is a new database on that cluster, which takes several seconds.
 */
export async function cloneTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const cluster = process.env['TEST_CITUS_URL'];
  if (cluster) {
    const { url, workers } = await createCitusDatabase(cluster, name, prepareTestDatabase);
    return {
      url,
      async drop() {
        for (const node of [url, ...workers]) await dropDatabase(node, name);
      },
    };
  }
  const template = process.env[TEMPLATE_URL];
  if (!template) throw new Error('There is no test database: run the tests with `npm test`.');
  const templateName = new URL(template).pathname.slice(1);
  await asAdministrator(template, `CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY FILE_COPY`);
  return {
    url: withDatabase(template, name),
    drop: () => dropDatabase(template, name),
  };
}

const DISCONNECT_TIMEOUT_MS = 500;

const DROP_ATTEMPTS = 40;

/**
 * Drops a database. It waits shortly until all connections close, and only then uses force. A forced close would raise an error on a
 * connection without an error listener. Force is refused while autovacuum, which belongs to a superuser, works in the database.
 */
export async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  try {
    const since = performance.now();
    let others = 1;
    while (others > 0 && performance.now() - since < DISCONNECT_TIMEOUT_MS) {
      const { rows } = await client.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
        [name],
      );
      others = rows[0].count;
      if (others > 0) await sleep(10);
    }
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(`DROP DATABASE IF EXISTS ${name} ${others > 0 ? 'WITH (FORCE)' : ''}`);
        return;
      } catch (error) {
        const isVacuumed = error instanceof pg.DatabaseError && error.code === '42501';
        if (!isVacuumed || attempt === DROP_ATTEMPTS) throw error;
        await sleep(250);
      }
    }
  } finally {
    await client.end();
  }
}

/** Runs one statement in the database `postgres` of the server of `url`. */
export async function asAdministrator(url: string, statement: string): Promise<void> {
  await onNode(withDatabase(url, 'postgres'), statement);
}
