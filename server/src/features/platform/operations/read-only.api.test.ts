import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { asAdministrator } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

let log = '';
const app = await startTestApp({ log: (line) => (log += line) });
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');

/** Makes new connections read-only or writable. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const name = new URL(app.databaseUrl).pathname.slice(1);
  await asAdministrator(
    app.databaseUrl,
    `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
  );
}

/** Ends the connections that still have the old setting. */
async function endConnections(): Promise<void> {
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

/** One request at a time uses one connection. The pool would close an idle one after 10 seconds. */
const ANSWERS = 8;

// Before a request on a key: its usage is written every second, and the failure of that closes a connection.
describe('after a failover, while open connections lead to a server that stays read-only', () => {
  const ready = async () => (await app.http.get('/health/ready')).status;
  const changeSettings = async () => {
    const path = `/api/bus_tenants/${tenant.tenantId}/event-definitions/settings`;
    return (await app.http.patch(path, { autoCreate: true }, admin)).status;
  };

  for (const [caller, send] of Object.entries({ 'a load balancer': ready, 'an account': changeSettings }))
    test(`requests of ${caller} alone reach the primary`, async () => {
      const answersUntil = async (isEnd: (answers: number[]) => boolean): Promise<number[]> => {
        const answers: number[] = [];
        while (answers.length < ANSWERS && !isEnd(answers)) {
          answers.push(await send());
          // The server checks the database at most four times per second.
          await sleep(250);
        }
        return answers;
      };
      await setReadOnly('on');
      await endConnections();
      // The first answers may come from connections that were ended.
      assert.equal((await answersUntil(() => false)).at(-1), 503);
      await setReadOnly('off');
      const answers = await answersUntil((statuses) => statuses.includes(200));
      assert.equal(answers.at(-1), 200, answers.join(', '));
    });
});

test('a read-only database makes the server not ready, and writes return 503', async () => {
  await setReadOnly('on');
  await endConnections();
  await eventually(async () => {
    const { status } = await app.http.get('/health/ready');
    return status === 503 && log.includes('"reason":"The database is read-only."');
  });
  const refused = await signIn();
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'], refused.text);
  assert.equal(refused.headers.get('retry-after'), '5');
  await setReadOnly('off');
  await endConnections();
  await eventually(async () => (await app.http.get('/health/ready')).status === 200);
  // A connection that was ended may still be in the pool.
  await eventually(async () => (await signIn()).status === 200);
});
