import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import type { Sql } from '../../../database/sql.ts';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { openKeyAuthenticator } from './index.ts';

/** The number of unknown keys that one network can send per minute. */
const BUDGET = 600;

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const ask = (gameKey: string, address: string) =>
  app.http.post(
    '/api/player-auth/players/exists',
    { provider: 'Mock', providerUserId: 'nobody' },
    { gameKey, headers: { 'x-forwarded-for': address } },
  );
/** Sends one unknown key from each address in parallel. Returns the sorted statuses. */
const guess = async (addresses: string[]) =>
  (await Promise.all(addresses.map((address) => ask(newOpaqueToken('game'), address))))
    .map(({ status }) => status)
    .toSorted((a, b) => a - b);

describe('the budget for unknown keys', () => {
  test('returns 429 for keys that the process has never seen, and accepts known keys', async () => {
    const [known, stranger] = [await arrangeTenant(app), await arrangeTenant(app)];
    const here = '192.0.2.1';
    assert.equal((await ask(known.gameKey, here)).status, 404);
    assert.deepEqual(await guess(Array(BUDGET + 20).fill(here)), [
      ...Array(BUDGET).fill(401),
      ...Array(20).fill(429),
    ]);

    const refused = await ask(stranger.gameKey, here);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.match(refused.body.detail, /This key may be valid: the server has not looked it up\./);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60);
    assert.equal(refused.headers.get('ratelimit-limit'), null, 'the key was not looked up');
    assert.equal((await ask('gh_game_x', here)).status, 401, 'a malformed key does not count');

    const limitOfKnownKey = async () => {
      const answer = await ask(known.gameKey, here);
      assert.equal(answer.status, 404, 'a known key is accepted, even after the cache was invalidated');
      return answer.headers.get('ratelimit-limit');
    };
    const limit = await limitOfKnownKey();
    await app.owner.query('UPDATE workspaces SET requests_per_minute = 12345 WHERE id = $1', [
      known.workspaceId,
    ]);
    await eventually(async () => (await limitOfKnownKey()) !== limit);

    assert.equal((await ask(stranger.gameKey, '192.0.2.2')).status, 404);
    assert.equal((await ask(stranger.gameKey, here)).status, 404, 'the key is known now');
    await app.owner.query('UPDATE tenant_keys SET revoked_at = now() WHERE tenant_id = $1', [
      stranger.tenantId,
    ]);
    await eventually(async () => (await ask(stranger.gameKey, here)).status === 429);
  });

  test('counts the addresses of one IPv6 network together', async () => {
    const addresses = Array.from(
      { length: BUDGET + 1 },
      (_, index) => `2001:db8::${(index + 1).toString(16)}`,
    );
    assert.deepEqual((await guess(addresses)).slice(-2), [401, 429]);
    assert.deepEqual(await guess(['2001:db8:0:1::1']), [401]);
  });

  test('limits parallel lookups, and does not count valid keys and database errors', async () => {
    const tenant = await arrangeTenant(app);
    const database = openDatabase(app.databaseUrl, { poolSize: 4 });
    let queries = 0;
    let broken = false;
    const counted = Object.create(database, {
      row: {
        value: (statement: Sql) => {
          queries++;
          return broken ? Promise.reject(new Error('unavailable')) : database.row(statement);
        },
      },
    }) as typeof database;
    const feed = { on: () => {}, close: async () => {} };
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
    const known = await tries(BUDGET + 100, tenant.gameKey);
    assert.ok(known.every(({ status }) => status === 'fulfilled'));
    queries = 0;
    await tries(BUDGET + 100);
    assert.equal(queries, BUDGET);
    await keys.close();
    await database.close();
  });
});
