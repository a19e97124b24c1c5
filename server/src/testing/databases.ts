import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * The server that all tests of a run share, and the name of its migrated template: set by the test runner
 * (run-tests.ts), which has started the one and made the other.
 */
const TEMPLATE_URL = 'GUILDHALL_TEST_TEMPLATE';

/** A database of its own for one test file, cloned from the migrated template in some 50 ms. */
export async function cloneTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const template = process.env[TEMPLATE_URL];
  if (!template) throw new Error('There is no test database: run the tests with `npm test`.');
  const templateName = new URL(template).pathname.slice(1);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(template, `CREATE DATABASE ${name} TEMPLATE ${templateName}`);
  return {
    url: withDatabase(template, name),
    drop: () => dropDatabase(template, name),
  };
}

const LEAVE_WITHIN_MS = 500;

/**
 * Drops a database, by force only where somebody does not leave: a connection that is just closing would be told of it, as
 * an error that nobody listens for any more.
 */
async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  try {
    const since = Date.now();
    let others = 1;
    while (others > 0 && Date.now() - since < LEAVE_WITHIN_MS) {
      const { rows } = await client.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
        [name],
      );
      others = rows[0].count;
      if (others > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await client.query(`DROP DATABASE IF EXISTS ${name} ${others > 0 ? 'WITH (FORCE)' : ''}`);
  } finally {
    await client.end();
  }
}

/** Runs one statement in the database `postgres` of the server of `url`. */
export async function asAdministrator(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/\/[^/?]+(\?|$)/, `/${database}$1`);
}
