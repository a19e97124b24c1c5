import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../database/database.ts';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { acceptedUntil } from '../../../testing/accepted-until.ts';
import { arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp, type TestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { openKeyAuthenticator } from './index.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });

const GAME_ROUTE = '/api/player-auth/players/exists';
/** Sends a request with a game key. The response is 404 (no such player) if the key is accepted. */
const ask = (gameKey: string, { http }: TestApp = app) =>
  http.post(GAME_ROUTE, { provider: 'Mock', providerUserId: 'nobody' }, { gameKey });
const accepts = async (gameKey: string, process: TestApp) => (await ask(gameKey, process)).status === 404;
/** Creates a tenant whose game key is cached by both processes. */
async function arrangeCache(): Promise<TestTenant> {
  const tenant = await arrangeTenant(app);
  // A process does not cache a key while the notifications of the new tenant still arrive.
  await sleep(100);
  assert.ok((await accepts(tenant.gameKey, app)) && (await accepts(tenant.gameKey, other)));
  return tenant;
}
const changeKeys = (assignment: string, tenantId: string) =>
  app.owner.query(`UPDATE tenant_keys SET ${assignment} WHERE tenant_id = $1`, [tenantId]);

describe('authentication with a key', () => {
  test('returns one 401 for each kind of wrong key', async () => {
    const good = await arrangeTenant(app);
    assert.equal((await ask(good.gameKey)).status, 404);

    const [revoked, expired, disabled] = await Promise.all([
      arrangeTenant(app),
      arrangeTenant(app),
      arrangeTenant(app),
    ]);
    await changeKeys('revoked_at = now()', revoked.tenantId);
    await changeKeys('expires_at = now()', expired.tenantId);
    await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [disabled.tenantId]);
    const { gameKey } = good;
    const notAccepted = {
      revoked: revoked.gameKey,
      expired: expired.gameKey,
      'of a disabled tenant': disabled.gameKey,
      unknown: newOpaqueToken('game'),
    };
    const withDigit = (index: number) =>
      gameKey.slice(0, index) + (gameKey.at(index) === '0' ? '1' : '0') + gameKey.slice(index + 1);
    const mistyped = {
      'in its secret': withDigit(20),
      'in its checksum': withDigit(gameKey.length - 1),
    };
    const apiKeys = {
      accepted: good.apiKey,
      unknown: newOpaqueToken('api'),
      mistyped: gameKey.replace('gh_game_', 'gh_api_'),
    };
    const noKeys = {
      'in another case': gameKey.toUpperCase(),
      'cut short': gameKey.slice(0, -1),
      'too long': `${gameKey}0`,
      'no key at all': 'x',
      'a Guid': randomUUID(),
      SQL: "' OR 1=1 --",
      'Latin letters': 'é'.repeat(80),
      'very long': 'g'.repeat(8_000),
    };
    for (const keys of [notAccepted, mistyped, apiKeys, noKeys]) {
      const documents = new Set<string>();
      for (const [what, key] of Object.entries(keys)) {
        const { status, body } = await ask(key);
        assert.deepEqual([what, status, body.code], [what, 401, 'invalid_game_key']);
        delete body.requestId;
        documents.add(JSON.stringify(body));
      }
      assert.equal(documents.size, 1, [...documents].join('\n'));
    }
  });

  test('accepts a key only in its own header, sent once', async () => {
    const { gameKey, apiKey, tenantId } = await arrangeTenant(app);
    const body = { provider: 'Mock', providerUserId: 'nobody' };
    const callers: Caller[] = [
      {},
      { gameKey: '' },
      { apiKey },
      { apiKey: gameKey },
      { bearer: gameKey },
      { headers: { 'x-game-key': `${gameKey}, ${gameKey}` } },
      { headers: { authorization: `Bearer ${gameKey}`, 'x-api-key': apiKey } },
    ];
    for (const caller of callers)
      assert.equal((await app.http.post(GAME_ROUTE, body, caller)).status, 401, JSON.stringify(caller));
    assert.equal((await app.http.post(`${GAME_ROUTE}?x-game-key=${gameKey}`, body)).status, 401);

    const events = `/api/bus_tenants/${tenantId}/events?scope=player`;
    assert.equal((await app.http.get(events, { apiKey })).status, 200);
    assert.equal((await app.http.get(events, { apiKey: gameKey })).status, 401);
    assert.equal((await app.http.get(events, { gameKey })).status, 401);
  });

  test('rejects a cached key after its expiry', async () => {
    const { gameKey, tenantId } = await arrangeTenant(app);
    await changeKeys(`expires_at = now() + interval '2 seconds'`, tenantId);
    const { rows } = await app.owner.query(
      `SELECT expires_at FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game'`,
      [tenantId],
    );
    await acceptedUntil(rows[0].expires_at, 404, async () => (await ask(gameKey)).status);
  });

  test('rejects a revoked or expired key and a key of a disabled tenant in every process', async () => {
    for (const withdraw of [
      (tenantId: string) => changeKeys('revoked_at = now()', tenantId),
      (tenantId: string) =>
        app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [tenantId]),
      (tenantId: string) => changeKeys('expires_at = now()', tenantId),
    ]) {
      const { gameKey, tenantId } = await arrangeCache();
      await withdraw(tenantId);
      for (const process of [app, other]) await eventually(async () => !(await accepts(gameKey, process)));
    }
  });

  test('rejects a key that was revoked while the change feeds were disconnected', async () => {
    const { gameKey, tenantId } = await arrangeCache();
    const { rows } = await app.owner.query(
      `WITH disconnected AS MATERIALIZED (
       SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
       WHERE application_name = 'guildhall change feed' AND datname = current_database())
     UPDATE tenant_keys SET revoked_at = now() WHERE tenant_id = $1 AND (SELECT count(*) FILTER (WHERE ended) FROM disconnected) = 2
     RETURNING kind`,
      [tenantId],
    );
    assert.equal(rows.length, 2, 'both change feeds were disconnected before the keys were revoked');
    for (const process of [app, other]) await eventually(async () => !(await accepts(gameKey, process)));

    const next = await arrangeCache();
    await changeKeys('revoked_at = now()', next.tenantId);
    for (const process of [app, other]) await eventually(async () => !(await accepts(next.gameKey, process)));
  });
});

describe('lastUsedAt of a key', () => {
  test('is written once for many uses, at the latest when the process stops', async () => {
    const { gameKey, tenantId } = await arrangeTenant(app);
    const database = openDatabase(app.databaseUrl, { poolSize: 1 });
    const feed = { on: () => {}, close: async () => {} };
    const keys = openKeyAuthenticator(database, vault, feed, createAttemptBudgets());
    const lastUsed = async () =>
      (
        await app.owner.query(
          `SELECT kind, last_used_at IS NOT NULL AS used, last_used_at <= revoked_at AS "isBeforeEnd", xmin::text AS version FROM tenant_keys
         WHERE tenant_id = $1 ORDER BY kind DESC`,
          [tenantId],
        )
      ).rows;
    const before = await lastUsed();
    for (let use = 0; use < 100; use++) assert.ok(await keys.authenticate('game', gameKey, null));
    assert.deepEqual(await lastUsed(), before, 'a use alone does not write');
    await app.owner.query(
      `UPDATE tenant_keys SET revoked_at = clock_timestamp() WHERE tenant_id = $1 AND kind = 'game'`,
      [tenantId],
    );
    await keys.close();
    await database.close();
    const after = await lastUsed();
    assert.deepEqual(
      after.map(({ kind, used }) => [kind, used]),
      [
        ['game', true],
        ['api', false],
      ],
    );
    assert.equal(after[1].version, before[1].version);
    assert.equal(after[0].isBeforeEnd, true, 'the time is that of the use, not of the write');
  });
});
