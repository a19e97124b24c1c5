import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { asAdministrator } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

let log = '';
const app = await startTestApp({ log: (line) => (log += line) });
const tenant = await arrangeTenant(app);

/** Makes the database read-only or writable, and ends the connections that still have the old setting. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const name = new URL(app.databaseUrl).pathname.slice(1);
  await asAdministrator(
    app.databaseUrl,
    `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
  );
  await app.owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
}

const signIn = () =>
  app.http.post(
    '/api/player-auth/login',
    { provider: 'Mock', token: 'mock:ada:secret', createAccountIfMissing: true },
    { gameKey: tenant.gameKey },
  );

test('a read-only database makes the server not ready, and writes return 503', async () => {
  await setReadOnly('on');
  await eventually(async () => {
    const { status } = await app.http.get('/health/ready');
    return status === 503 && log.includes('"reason":"The database is read-only."');
  });
  const refused = await signIn();
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'], refused.text);
  assert.equal(refused.headers.get('retry-after'), '5');
  await setReadOnly('off');
  await eventually(async () => (await app.http.get('/health/ready')).status === 200);
  // A connection that was ended may still be in the pool.
  await eventually(async () => (await signIn()).status === 200);
});
