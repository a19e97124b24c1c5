import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startDatabaseProxy } from '../../../../acceptance/database-proxy.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const proxy = await startDatabaseProxy(app.databaseUrl);
// A second process. The test interrupts its change feed and keeps its other connections.
const other = await startTestApp({ databaseUrl: proxy.url });
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const path = `/api/bus_tenants/${tenant.tenantId}/game-keys`;

const createKey = async () =>
  (await app.http.post(path, { name: 'x' }, admin)).body as { id: string; key: string };
const statusOf = async (gameKey: string) =>
  (
    await other.http.post(
      '/api/player-auth/players/exists',
      { provider: 'Mock', providerUserId: 'x' },
      { gameKey },
    )
  ).status;

describe('a change feed whose connection is half-open', () => {
  test('is detected, so that a revoked key stops working on the other process', async () => {
    const keys = [await createKey(), await createKey(), await createKey()];
    for (const { key } of keys) assert.equal(await statusOf(key), 404, 'the key works and is cached');
    proxy.blackhole('guildhall change feed');
    // The first key is revoked before the process detects the loss, the second one while it is disconnected.
    for (const { id, key } of keys.slice(0, 2)) {
      assert.equal(await statusOf(key), 404);
      assert.equal((await app.http.delete(`${path}/${id}`, admin)).status, 204);
      await eventually(async () => (await statusOf(key)) === 401);
    }
    const own = await createKey();
    assert.equal(await statusOf(own.key), 404);
    assert.equal((await other.http.delete(`${path}/${own.id}`, admin)).status, 204);
    assert.equal(await statusOf(own.key), 401, 'the process that revokes a key needs no feed');
    proxy.open();
    const { id, key } = keys[2]!;
    assert.equal(await statusOf(key), 404, 'a key that was not revoked still works');
    assert.equal((await app.http.delete(`${path}/${id}`, admin)).status, 204);
    await eventually(async () => (await statusOf(key)) === 401);
  });
});
