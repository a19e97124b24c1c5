import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type pg from 'pg';
import { startTestApp } from '../testing/test-app.ts';
import { withClient } from './client.ts';
import { openOwnerPool, openPool } from './pool.ts';

const app = await startTestApp();

/** Lets PostgreSQL close the connection, and waits until it has. */
async function terminate(client: pg.ClientBase): Promise<void> {
  const lost = new Promise((resolve) => client.once('end', resolve));
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  await app.owner.query('SELECT pg_terminate_backend($1::int)', [rows[0].pid]);
  await lost;
}

test('a connection in use that PostgreSQL closes fails its next statement, and not the process', async () => {
  const pools = [
    openOwnerPool(app.databaseUrl, 1),
    openPool(app.databaseUrl, 'guildhall_app', { poolSize: 1, pipeline: false }),
  ];
  for (const pool of pools) {
    const client = await pool.connect();
    await terminate(client);
    await assert.rejects(client.query('SELECT 1'));
    client.release(true);
    assert.equal((await pool.query('SELECT 1')).rowCount, 1, 'the pool opens a new one');
    await pool.end();
  }
});

test('a connection for large reads is replaced after a minute, because it may lead to a standby', async (context) => {
  const options = { poolSize: 1, pipeline: false, work: 'heavy' } as const;
  const pool = openPool(app.databaseUrl, 'guildhall_app', options);
  context.after(() => pool.end());
  const processes = new Set<number>();
  mock.timers.enable({ apis: ['setTimeout'] });
  // A pause of 10 seconds would close it too.
  for (let seconds = 0; seconds < 60; seconds += 5) {
    const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
    processes.add(rows[0].pid);
    assert.equal(processes.size, 1, `after ${seconds} s`);
    mock.timers.tick(5_000);
  }
  mock.timers.reset();
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
  assert.ok(!processes.has(rows[0].pid));
});

test('a lost connection of withClient fails its next statement, and not the process', async () => {
  const work = withClient(app.databaseUrl, async (client) => {
    await terminate(client);
    return client.query('SELECT 1');
  });
  await assert.rejects(work, /not queryable/);
});
