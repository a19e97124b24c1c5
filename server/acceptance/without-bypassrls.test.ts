import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { arrangeSender } from './arrange.ts';
import { eventually } from './eventually.ts';
import { startExternalPostgres } from './external-postgres.ts';
import { call } from './http.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

const postgres = await startExternalPostgres();
const folder = dataFolder();
await postgres.run(
  'CREATE ROLE guildhall LOGIN CREATEROLE PASSWORD $PASSWORD',
  'CREATE DATABASE guildhall OWNER guildhall',
);
const env = { DATABASE_URL: postgres.url('guildhall', 'guildhall'), MASTER_KEY: 'ab'.repeat(32) };
const options = { dataDir: folder.path, env };
const server = await startServer(options);
after(async () => {
  await server.end('SIGTERM');
  postgres.stop();
  folder.remove();
});

describe('a database whose user cannot grant BYPASSRLS', () => {
  test('stores, counts and charges each event once', async () => {
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query(
      `SELECT rolbypassrls AS bypasses FROM pg_roles WHERE rolname = 'guildhall_event_writer'`,
    );
    await client.end();
    assert.deepEqual(rows, [{ bypasses: false }]);

    const { tenantId, some, sendEvents, usedUnits } = await arrangeSender(server.url);
    let stored = 0;
    for (const size of [3, 40, 1_200]) {
      const batch = some(size);
      assert.deepEqual(await sendEvents(batch), [size, 0]);
      assert.deepEqual(await sendEvents(batch), [0, size]);
      assert.deepEqual(await sendEvents([...batch, ...some(1)]), [1, size]);
      const contested = some(size);
      const answers = await Promise.all(Array.from({ length: 10 }, () => sendEvents(contested)));
      const sum = (of: 0 | 1): number => answers.reduce((total, answer) => total + answer![of], 0);
      assert.deepEqual([sum(0), sum(1)], [size, 9 * size]);
      stored += 2 * size + 1;
    }
    for (const command of ['verify', 'roll-ups check']) {
      const { child, output } = spawnCommand(`${command} --tenant ${tenantId}`, options);
      assert.equal(await exitOf(child), 0, output());
    }
    assert.equal(await usedUnits(), stored + 1);
  });
});

describe('a user of the database that loses the role of the application', () => {
  test('gets a 503 and a log line until the role is granted again', async () => {
    const body = { email: 'ada@example.com', password: 'correct horse' };
    const logIn = () => call('POST', `${server.url}/api/saas-auth/login`, { body });
    assert.equal((await logIn()).status, 401);

    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    const endOthers = () =>
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    await client.query('REVOKE guildhall_app FROM guildhall');
    await endOthers();
    await eventually(async () => {
      const refused = await logIn();
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal(refused.body.code, 'unavailable');
      // The first requests may find connections that have just ended.
      return /permission denied to set role \\"guildhall_app\\".*the database is unavailable/.test(
        server.output(),
      );
    });
    assert.equal((await fetch(`${server.url}/health/ready`)).status, 503);
    await client.query('GRANT guildhall_app TO guildhall');
    await client.end();
    await eventually(async () => (await logIn()).status === 401);
  });
});
