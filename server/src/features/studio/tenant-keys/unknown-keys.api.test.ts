import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import type { Sql } from '../../../database/sql.ts';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { createVault } from '../../../security/vault.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp, TEST_MASTER_KEY } from '../../../testing/test-app.ts';
import { openKeyAuthenticator } from './index.ts';

/** How many keys that do not exist one network may ask for in a minute. */
const BUDGET = 600;

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const ask = (gameKey: string, address: string) =>
  app.http.post(
    '/api/player-auth/players/exists',
    { provider: 'Mock', providerUserId: 'nobody' },
    { gameKey, headers: { 'x-forwarded-for': address } },
  );
/** Sends so many keys that do not exist, at once; the statuses, sorted. */
const guess = async (addresses: string[]) =>
  (await Promise.all(addresses.map((address) => ask(newOpaqueToken('game'), address))))
    .map(({ status }) => status)
    .toSorted((a, b) => a - b);

test('a network that asks for too many unknown keys is refused all but those that the process has met', async () => {
  const [met, stranger] = [await arrangeTenant(app), await arrangeTenant(app)];
  const here = '192.0.2.1';
  assert.equal((await ask(met.gameKey, here)).status, 404);
  assert.deepEqual(await guess(Array(BUDGET + 20).fill(here)), [
    ...Array(BUDGET).fill(401),
    ...Array(20).fill(429),
  ]);

  const refused = await ask(stranger.gameKey, here);
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60);
  assert.equal(refused.headers.get('ratelimit-limit'), null, 'whose key it is was not looked up');
  assert.equal((await ask('gh_game_x', here)).status, 401, 'what has no form of a key costs nothing');

  assert.equal((await ask(met.gameKey, here)).status, 404);
  await app.owner.query('UPDATE workspaces SET name = name WHERE id = $1', [met.workspaceId]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal((await ask(met.gameKey, here)).status, 404, 'also after everything remembered was forgotten');

  assert.equal((await ask(stranger.gameKey, '192.0.2.2')).status, 404);
  assert.equal((await ask(stranger.gameKey, here)).status, 404, 'met by now');
  await app.owner.query('UPDATE tenant_keys SET revoked_at = now() WHERE tenant_id = $1', [
    stranger.tenantId,
  ]);
  await eventually(async () => (await ask(stranger.gameKey, here)).status === 429);
});

test('the addresses of one IPv6 network count as one', async () => {
  const addresses = Array.from({ length: BUDGET + 1 }, (_, index) => `2001:db8::${(index + 1).toString(16)}`);
  assert.deepEqual((await guess(addresses)).slice(-2), [401, 429]);
  assert.deepEqual(await guess(['2001:db8:0:1::1']), [401]);
});

test('parallel look-ups do not exceed the budget, and good keys and failures of ours cost nothing', async () => {
  const tenant = await arrangeTenant(app);
  const database = openDatabase(app.databaseUrl, { poolSize: 4 });
  let queries = 0;
  let broken = false;
  const counted = Object.create(database, {
    row: {
      value: (statement: Sql) => {
        queries++;
        return broken ? Promise.reject(new Error('away')) : database.row(statement);
      },
    },
  }) as typeof database;
  const feed = { on: () => {}, close: async () => {} };
  const vault = createVault(Buffer.from(TEST_MASTER_KEY, 'hex'));
  const open = () => openKeyAuthenticator(counted, vault, feed, createAttemptBudgets());
  const keys = open();
  const tries = (count: number, key?: string) =>
    Promise.allSettled(
      Array.from({ length: count }, () =>
        keys.authenticate('game', key ?? newOpaqueToken('game'), '192.0.2.1'),
      ),
    );
  broken = true;
  await tries(50);
  broken = false;
  const met = await tries(BUDGET + 100, tenant.gameKey);
  assert.ok(met.every(({ status }) => status === 'fulfilled'));
  queries = 0;
  await tries(BUDGET + 100);
  assert.equal(queries, BUDGET);
  await keys.close();
  await database.close();
});
