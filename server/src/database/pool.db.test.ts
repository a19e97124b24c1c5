import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../testing/test-app.ts';
import { openOwnerPool, openPool } from './pool.ts';

const app = await startTestApp();

test('a connection in use that PostgreSQL closes fails its next statement, and not the process', async () => {
  const pools = [
    openOwnerPool(app.databaseUrl, 1),
    openPool(app.databaseUrl, 'guildhall_app', { poolSize: 1, pipeline: false }),
  ];
  for (const pool of pools) {
    const client = await pool.connect();
    const lost = new Promise((resolve) => client.once('end', resolve));
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    await app.owner.query('SELECT pg_terminate_backend($1::int)', [rows[0].pid]);
    await lost;
    await assert.rejects(client.query('SELECT 1'));
    client.release(true);
    assert.equal((await pool.query('SELECT 1')).rowCount, 1, 'the pool opens a new one');
    await pool.end();
  }
});
