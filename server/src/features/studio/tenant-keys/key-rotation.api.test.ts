import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { KeyKind } from '../../../core/callers.ts';
import { acceptedUntil } from '../../../testing/accepted-until.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });
const tenant = await arrangeTenant(app);
const foreign = await arrangeTenant(app);
const [admin, viewer, stranger] = [
  await arrangeAccount(app, tenant, 'admin'),
  await arrangeAccount(app, tenant, 'viewer'),
  await arrangeAccount(app, foreign, 'owner'),
];
const pathOf = (kind: KeyKind, keyId = '', tenantId = tenant.tenantId) =>
  `/api/bus_tenants/${tenantId}/${kind}-keys${keyId && `/${keyId}`}`;
const create = async (kind: KeyKind, body: object = {}) =>
  (await app.http.post(pathOf(kind), { name: 'test', ...body }, admin)).body;
const rotate = (kind: KeyKind, keyId: string, body?: unknown, caller: object = admin) =>
  app.http.post(`${pathOf(kind, keyId)}/rotate`, body, caller);
const shown = async (kind: KeyKind, keyId: string) =>
  (await app.http.get(`${pathOf(kind)}?limit=200&includeRevoked=true`, viewer)).body.items.find(
    (item: { id: string }) => item.id === keyId,
  );
/** Returns the status of a request with a game key. It is 401 if the key does not work. */
const useKey = async (gameKey: string, { http } = app) =>
  (await http.post('/api/player-auth/players/exists', { provider: 'Mock', providerUserId: 'x' }, { gameKey }))
    .status;
const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1000;

describe('POST /api/bus_tenants/{tenantId}/{game,api}-keys/{keyId}/rotate', () => {
  test('creates a successor with the same settings, and both keys work during the grace period', async () => {
    const settings = {
      name: 'Integration',
      rateLimit: { perMinute: 10, perHour: null },
      rateLimitPerMinute: 5,
      payloadBytesPerMinute: 5_000_000_000,
      allowDataApi: true,
      subscriberWorkspaceId: tenant.workspaceId,
    };
    const { key: oldKey, ...old } = await create('api', settings);
    const rotated = await rotate('api', old.id, { gracePeriodSeconds: 3600 });
    assert.equal(rotated.status, 201, rotated.text);
    const { key, ...successor } = rotated.body;
    assert.match(key, /^gh_api_[0-9a-f]{72}$/);
    assert.notEqual(key, oldKey);
    assert.partialDeepStrictEqual(successor, {
      ...settings,
      expiresAt: null,
      successorId: null,
      lastUsedAt: null,
    });
    assert.deepEqual(await shown('api', successor.id), successor);
    assert.equal(JSON.stringify(await shown('api', successor.id)).includes(key), false);

    const { expiresAt, successorId, ...rest } = await shown('api', old.id);
    assert.equal(successorId, successor.id);
    assert.ok(Math.abs(secondsUntil(expiresAt) - 3600) < 60);
    assert.deepEqual({ ...rest, expiresAt: null, successorId: null }, old);
    const read = async (apiKey: string) =>
      (await app.http.get(`/api/bus_tenants/${tenant.tenantId}/events?scope=player`, { apiKey })).status;
    assert.deepEqual([await read(oldKey), await read(key)], [200, 200]);

    const { rows } = await app.owner.query(
      `SELECT action, actor_id, target_id, details, ip_address FROM audit_records
     WHERE request_id = $1 ORDER BY id`,
      [rotated.headers.get('x-request-id')],
    );
    const by = { actor_id: admin.accountId, ip_address: '127.0.0.1' };
    assert.partialDeepStrictEqual(rows, [
      { ...by, action: 'api_key.created', target_id: successor.id },
      {
        ...by,
        action: 'api_key.rotated',
        target_id: old.id,
        details: { before: { expiresAt: null }, after: { successorId } },
      },
    ]);
    assert.ok(!JSON.stringify(rows).includes(key.slice(-64)));
  });

  test('keeps the requirement of a player token', async () => {
    const old = await create('game', { requirePlayerToken: true });
    const { body: successor } = await rotate('game', old.id);
    assert.equal(successor.requirePlayerToken, true);
    const { rows } = await app.owner.query('SELECT action FROM audit_records WHERE target_id = $1', [
      successor.id,
    ]);
    assert.deepEqual(rows, [{ action: 'game_key.created' }], 'nobody agreed to pay for it');
    const path = `/api/game/matches/${randomUUID()}`;
    for (const gameKey of [old.key, successor.key])
      assert.equal((await app.http.get(path, { gameKey })).body.code, 'missing_bearer');
  });

  test('rejects the old key in every process when the grace period is 0', async () => {
    const old = await create('game');
    for (const process of [app, other]) assert.equal(await useKey(old.key, process), 404);
    const { body: successor } = await rotate('game', old.id, { gracePeriodSeconds: 0 });
    assert.equal(await useKey(old.key), 401);
    await eventually(async () => (await useKey(old.key, other)) === 401);
    for (const process of [app, other]) assert.equal(await useKey(successor.key, process), 404);
  });

  test('rejects the cached old key after the grace period', async () => {
    const old = await create('game');
    for (const process of [app, other]) assert.equal(await useKey(old.key, process), 404);
    await rotate('game', old.id, { gracePeriodSeconds: 1 });
    const { expiresAt } = await shown('game', old.id);
    await Promise.all(
      [app, other].map((process) => acceptedUntil(expiresAt, 404, () => useKey(old.key, process))),
    );
  });

  test('uses a grace period of 1 day by default and allows at most 30 days', async () => {
    const graceOf = async (body: unknown) => {
      const { id } = await create('game');
      const { status, text } = await rotate('game', id, body);
      assert.equal(status, 201, text);
      return Math.round(secondsUntil((await shown('game', id)).expiresAt) / 3600);
    };
    assert.equal(await graceOf(undefined), 24, 'without a body');
    assert.equal(await graceOf({}), 24);
    assert.equal(await graceOf({ gracePeriodSeconds: null }), 24);
    assert.equal(await graceOf({ gracePeriodSeconds: 2_592_000 }), 720);
    const { id } = await create('game');
    for (const gracePeriodSeconds of [-1, 2_592_001, 1.5, '60'])
      assert.equal(
        (await rotate('game', id, { gracePeriodSeconds })).status,
        400,
        String(gracePeriodSeconds),
      );
    assert.equal((await shown('game', id)).successorId, null);
  });

  test('keeps an earlier expiry, and gives the successor the same lifetime', async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const old = await create('game', { expiresAt });
    const { body: successor } = await rotate('game', old.id);
    assert.equal((await shown('game', old.id)).expiresAt, old.expiresAt);
    const lifetime = Date.parse(successor.expiresAt) - Date.parse(successor.createdAt);
    assert.ok(Math.abs(lifetime - 600_000) < 5_000, String(lifetime));

    const last = await create('game', { expiresAt: '9999-12-31T23:59:59.999Z' });
    const { status, body } = await rotate('game', last.id);
    assert.deepEqual([status, Date.parse(body.expiresAt)], [201, Date.parse(last.expiresAt)]);
  });

  test('creates one successor when rotations run in parallel', async () => {
    const { id } = await create('game');
    const answers = await commitWhileWaiting(
      app,
      (holder) => holder.query('SELECT FROM tenant_keys WHERE id = $1 FOR NO KEY UPDATE', [id]),
      () =>
        Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            (index % 2 ? app : other).http.post(`${pathOf('game', id)}/rotate`, {}, admin),
          ),
        ),
      8,
    );
    const winners = answers.filter((answer) => answer.status === 201);
    assert.deepEqual(
      [winners.length, answers.filter((answer) => answer.body.code === 'conflict').length],
      [1, 7],
    );
    assert.equal((await shown('game', id)).successorId, winners[0]!.body.id);
    assert.equal((await rotate('game', winners[0]!.body.id)).status, 201, 'the successor can be rotated');
  });

  test('returns 409 for a revoked, expired or already rotated key', async () => {
    const [revoked, expired, rotated] = [await create('game'), await create('game'), await create('game')];
    await app.http.delete(pathOf('game', revoked.id), admin);
    await app.owner.query('UPDATE tenant_keys SET expires_at = now() WHERE id = $1', [expired.id]);
    await rotate('game', rotated.id);
    for (const { id } of [revoked, expired, rotated]) {
      const answer = await rotate('game', id);
      assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    }
  });

  test('lets an admin revoke the old key early or extend its expiry', async () => {
    const [leaked, slow] = [await create('game'), await create('game')];
    for (const { id } of [leaked, slow]) await rotate('game', id, { gracePeriodSeconds: 60 });
    assert.equal((await app.http.delete(pathOf('game', leaked.id), admin)).status, 204);
    assert.equal(await useKey(leaked.key), 401);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await app.http.patch(pathOf('game', slow.id), { expiresAt }, admin)).status, 200);
    assert.ok(secondsUntil((await shown('game', slow.id)).expiresAt) > 3000);
  });

  test('returns 404, 403 or 401 for other kinds, tenants, roles and credentials', async () => {
    const { id } = await create('game');
    const missing = [
      pathOf('api', id),
      pathOf('game', id, foreign.tenantId),
      pathOf('game', randomUUID()),
      pathOf('game', 'x'),
    ];
    for (const path of missing)
      assert.equal((await app.http.post(`${path}/rotate`, {}, admin)).status, 404, path);
    assert.equal((await rotate('game', id, {}, stranger)).status, 404);
    assert.equal((await rotate('game', id, {}, viewer)).status, 403);
    for (const caller of [{}, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }])
      assert.equal((await rotate('game', id, {}, caller)).status, 401);
    assert.equal((await shown('game', id)).successorId, null);
  });
});
