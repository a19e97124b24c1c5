import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { acceptedUntil } from '../../../testing/accepted-until.ts';
import { arrangeAccount, arrangePlan, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });
const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const foreign = await arrangeTenant(app);
const [admin, viewer, stranger] = [
  await arrangeAccount(app, tenant, 'admin'),
  await arrangeAccount(app, tenant, 'viewer'),
  await arrangeAccount(app, foreign, 'owner'),
];
const kinds = ['game', 'api'] as const;
type Kind = (typeof kinds)[number];
const pathOf = (kind: Kind, keyId = '', tenantId = tenant.tenantId) =>
  `/api/bus_tenants/${tenantId}/${kind}-keys${keyId && `/${keyId}`}`;
const create = (kind: Kind, body: object = {}) =>
  app.http.post(pathOf(kind), { name: 'test', ...body }, admin);
const change = (kind: Kind, keyId: string, body: object) => app.http.patch(pathOf(kind, keyId), body, admin);
const revoke = (kind: Kind, keyId: string) => app.http.delete(pathOf(kind, keyId), admin);
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString().replace('Z', '123Z');

/** Returns the status of a request with a game key. It is 401 if the key does not work. */
const useKey = async (gameKey: string, { http } = app) =>
  (await http.post('/api/player-auth/players/exists', { provider: 'Mock', providerUserId: 'x' }, { gameKey }))
    .status;
/** Returns the status of a request with an API key: 401 if the key does not work, 403 if it cannot read data. */
const readWith = async (apiKey: string, { http } = app) =>
  (await http.get(`/api/bus_tenants/${tenant.tenantId}/events?scope=player`, { apiKey })).status;

describe('POST /api/bus_tenants/{tenantId}/{game,api}-keys', () => {
  test('returns the key once and stores only its fingerprint', async () => {
    for (const kind of kinds) {
      const created = await create(kind, { name: ' Server ' });
      assert.equal(created.status, 201, created.text);
      const { key, ...shown } = created.body;
      assert.match(key, new RegExp(`^gh_${kind}_[0-9a-f]{72}$`));
      assert.ok(key.startsWith(shown.prefix) && shown.prefix.length < 20);
      assert.equal(shown.name, 'Server');
      for (const name of [
        'rateLimit',
        'rateLimitPerMinute',
        'payloadBytesPerMinute',
        'expiresAt',
        'revokedAt',
      ])
        assert.equal(shown[name], null, name);
      assert.equal(shown.lastUsedAt, null);
      assert.equal(shown.allowDataApi, kind === 'api' ? false : undefined);
      assert.equal(shown.requirePlayerToken, kind === 'game' ? false : undefined);

      const listed = await app.http.get(`${pathOf(kind)}?limit=200`, viewer);
      assert.deepEqual(listed.body.items[0], shown);
      assert.ok(!listed.text.includes(key));
      const stored = await app.owner.query(
        `SELECT to_jsonb(k)::text AS text FROM tenant_keys k WHERE id = $1
       UNION ALL SELECT details::text FROM audit_records WHERE target_id = $1::text`,
        [shown.id],
      );
      assert.equal(stored.rows.length, 2);
      for (const { text } of stored.rows) assert.ok(!text.includes(key.slice(-64)));
    }
    assert.equal(await useKey((await create('game')).body.key), 404);
    assert.equal(await readWith((await create('api', { allowDataApi: true })).body.key), 200);
    assert.equal(await readWith((await create('api')).body.key), 403);
  });

  test('creates keys that do not work in the header of the other kind', async () => {
    const game = (await create('game')).body.key;
    const api = (await create('api', { allowDataApi: true })).body.key;
    assert.equal(await useKey(api), 401);
    assert.equal(await readWith(game), 401);
  });

  test('ignores the settings of API keys in the body of a game key', async () => {
    const ignored = { allowDataApi: true, subscriberWorkspaceId: tenant.workspaceId };
    const { id } = (await create('game', ignored)).body;
    assert.equal((await change('game', id, ignored)).status, 200);
    const { rows } = await app.owner.query(
      'SELECT allow_data_api, subscriber_workspace_id FROM tenant_keys WHERE id = $1',
      [id],
    );
    assert.deepEqual(rows, [{ allow_data_api: false, subscriber_workspace_id: null }]);
  });

  test('ignores the setting of game keys in the body of an API key', async () => {
    const ignored = { requirePlayerToken: true };
    const created = (await create('api', ignored)).body;
    const changed = await change('api', created.id, ignored);
    assert.equal(changed.status, 200);
    for (const shown of [created, changed.body]) assert.equal('requirePlayerToken' in shown, false);
    const { rows } = await app.owner.query('SELECT require_player_token FROM tenant_keys WHERE id = $1', [
      created.id,
    ]);
    assert.deepEqual(rows, [{ require_player_token: false }]);
  });
});

describe('PATCH /api/bus_tenants/{tenantId}/{game,api}-keys/{keyId}', () => {
  test('changes and removes each window of the rate limit by itself', async () => {
    for (const kind of ['game', 'api'] as const) {
      const { id } = (await create(kind, { rateLimit: { perMinute: 50, perHour: 80 } })).body;
      for (const [rateLimit, expected] of [
        [{ perMinute: 40 }, { perMinute: 40, perHour: 80 }],
        [{}, { perMinute: 40, perHour: 80 }],
        [{ perMinute: null }, { perMinute: null, perHour: 80 }],
        [{ perHour: null }, null],
        [{ perHour: 9 }, { perMinute: null, perHour: 9 }],
        [null, null],
      ])
        assert.deepEqual((await change(kind, id, { rateLimit })).body.rateLimit, expected);
    }
  });

  test('changes settings one by one and clears them with null', async () => {
    const expiresAt = inAnHour();
    const settings = {
      rateLimit: { perMinute: 10, perHour: 100 },
      rateLimitPerMinute: 5,
      payloadBytesPerMinute: 5_000_000_000,
      expiresAt,
      allowDataApi: true,
      subscriberWorkspaceId: tenant.workspaceId,
    };
    const created = await create('api', settings);
    assert.equal(created.status, 201, created.text);
    const { key, ...before } = created.body;
    assert.partialDeepStrictEqual(before, settings);
    const { id } = before;

    assert.deepEqual((await change('api', id, {})).body, before);
    assert.deepEqual((await change('api', id, { name: 'New' })).body, { ...before, name: 'New' });
    const half = await change('api', id, { rateLimit: { perMinute: 7 }, allowDataApi: false });
    assert.deepEqual(half.body.rateLimit, { perMinute: 7, perHour: 100 });
    const cleared = await change('api', id, {
      rateLimit: null,
      rateLimitPerMinute: null,
      payloadBytesPerMinute: null,
      expiresAt: null,
      subscriberWorkspaceId: null,
    });
    for (const name of ['rateLimit', 'rateLimitPerMinute', 'payloadBytesPerMinute', 'expiresAt'])
      assert.equal(cleared.body[name], null, name);
    assert.equal(cleared.body.subscriberWorkspaceId, null);

    const { rows } = await app.owner.query(
      `SELECT action, details FROM audit_records WHERE target_id = $1 ORDER BY id`,
      [id],
    );
    assert.deepEqual(
      rows.map((row) => row.action),
      ['api_key.created', 'api_key.updated', 'api_key.updated', 'api_key.updated'],
    );
    assert.deepEqual(rows[1].details, { before: { name: 'test' }, after: { name: 'New' } });
  });

  test('changes whether a game key requires the token of a player, and records it', async () => {
    const { id, key: _, ...created } = (await create('game', { requirePlayerToken: true })).body;
    assert.equal(created.requirePlayerToken, true);
    assert.equal((await change('game', id, { name: 'New' })).body.requirePlayerToken, true);
    assert.equal((await change('game', id, { requirePlayerToken: false })).body.requirePlayerToken, false);
    const listed = await app.http.get(`${pathOf('game')}?limit=1`, viewer);
    assert.equal(listed.body.items[0].requirePlayerToken, false);
    assert.equal((await change('game', id, { requirePlayerToken: 'yes' })).status, 400);
    const { rows } = await app.owner.query(
      'SELECT details FROM audit_records WHERE target_id = $1 ORDER BY id',
      [id],
    );
    assert.equal(rows[0].details.after.requirePlayerToken, true);
    assert.deepEqual(rows[2].details, {
      before: { requirePlayerToken: true },
      after: { requirePlayerToken: false },
    });
  });

  test('applies a changed permission in every process', async () => {
    const { id, key } = (await create('api')).body;
    for (const allowDataApi of [true, false, true]) {
      const expected = allowDataApi ? 200 : 403;
      await change('api', id, { allowDataApi });
      assert.equal(await readWith(key), expected);
      await eventually(async () => (await readWith(key, other)) === expected);
    }
  });
});

describe('DELETE /api/bus_tenants/{tenantId}/{game,api}-keys/{keyId}', () => {
  test('rejects a revoked key in every process', async () => {
    const { id, key } = (await create('game')).body;
    assert.equal(await useKey(key), 404);
    assert.equal(await useKey(key, other), 404);
    assert.equal((await revoke('game', id)).status, 204);
    assert.equal(await useKey(key), 401);
    await eventually(async () => (await useKey(key, other)) === 401);

    assert.equal((await revoke('game', id)).status, 204);
    assert.equal((await change('game', id, { name: 'x' })).status, 409);
    const shown = async (query: string) =>
      (await app.http.get(`${pathOf('game')}?limit=200${query}`, viewer)).body.items.find(
        (item: { id: string }) => item.id === id,
      );
    assert.equal(await shown(''), undefined);
    assert.ok((await shown('&includeRevoked=true')).revokedAt);
    const { rowCount } = await app.owner.query(
      `SELECT FROM audit_records WHERE target_id = $1 AND action = 'game_key.revoked'`,
      [id],
    );
    assert.equal(rowCount, 1);
  });
});

describe('GET /api/bus_tenants/{tenantId}/{game,api}-keys', () => {
  test('lists the newest key first', async () => {
    const game = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const path = pathOf('game', '', game.tenantId);
    for (const name of ['old', 'new'])
      assert.equal((await app.http.post(path, { name, expiresAt: inAnHour() }, admin)).status, 201);
    const { items, totalCount } = (await app.http.get(`${path}?limit=2`, viewer)).body;
    assert.deepEqual([items.map(({ name }: { name: string }) => name), totalCount], [['new', 'old'], 3]);
  });
});

describe('validation and authorization of keys', () => {
  test('accepts only a future expiry, keeps its microseconds, and rejects the key afterwards', async () => {
    const expiresAt = inAnHour();
    const { id, key, ...created } = (await create('game', { expiresAt })).body;
    assert.equal(created.expiresAt, expiresAt);
    for (const bad of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00', 'tomorrow', 5, '']) {
      assert.equal((await create('game', { expiresAt: bad })).status, 400, String(bad));
      assert.equal((await change('game', id, { expiresAt: bad })).status, 400, String(bad));
    }
    const offset = await change('game', id, { expiresAt: '2999-01-01T02:00:00.5+02:00' });
    assert.equal(offset.body.expiresAt, '2999-01-01T00:00:00.5Z');
    assert.equal(await useKey(key), 404);
    const soon = new Date(Date.now() + 2_000).toISOString();
    assert.equal((await change('game', id, { expiresAt: soon })).status, 200);
    await acceptedUntil(soon, 404, () => useKey(key));
  });

  test('returns 404 when the caller is not a member of the subscriber workspace', async () => {
    for (const subscriberWorkspaceId of [foreign.workspaceId, randomUUID(), tenant.tenantId]) {
      const refused = await create('api', { subscriberWorkspaceId });
      assert.equal(refused.status, 404);
      const { id } = (await create('api')).body;
      assert.equal((await change('api', id, { subscriberWorkspaceId })).status, 404);
    }
    const upper = await create('api', { subscriberWorkspaceId: tenant.workspaceId.toUpperCase() });
    assert.equal(upper.body.subscriberWorkspaceId, tenant.workspaceId);
    // Game keys have no subscriber and read no data, so these fields are ignored.
    const game = await create('game', { subscriberWorkspaceId: foreign.workspaceId, allowDataApi: true });
    assert.equal(game.status, 201);
    const { rows } = await app.owner.query(
      'SELECT allow_data_api, subscriber_workspace_id FROM tenant_keys WHERE id = $1',
      [game.body.id],
    );
    assert.deepEqual(rows, [{ allow_data_api: false, subscriber_workspace_id: null }]);
  });

  test('returns 400 for invalid bodies and queries', async () => {
    const { id } = (await create('api')).body;
    const bad = [
      { name: ' ' },
      { name: 'x'.repeat(129) },
      { rateLimit: { perMinute: 0 } },
      { rateLimit: { perMinute: 2 ** 31 } },
      { rateLimit: { perHour: '5' } },
      { rateLimit: 5 },
      { rateLimitPerMinute: 1.5 },
      { payloadBytesPerMinute: 0 },
      { payloadBytesPerMinute: 1e300 },
      { allowDataApi: 'yes' },
      { subscriberWorkspaceId: 'x' },
    ];
    for (const body of bad) {
      assert.equal((await create('api', body)).status, 400, JSON.stringify(body));
      assert.equal((await change('api', id, body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await app.http.post(pathOf('game'), {}, admin)).status, 400);
    assert.equal((await create('api', { name: '🔑'.repeat(128) })).status, 201);
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'includeRevoked=maybe'])
      assert.equal((await app.http.get(`${pathOf('api')}?${query}`, viewer)).status, 400, query);
  });

  test('returns 404 for a key of the other kind or of another tenant', async () => {
    const game = (await create('game')).body;
    const siblings = await app.http.post(pathOf('game', '', sibling.tenantId), { name: 'x' }, admin);
    const missing = [
      pathOf('api', game.id),
      pathOf('game', siblings.body.id),
      pathOf('game', game.id, sibling.tenantId),
      pathOf('game', game.id, foreign.tenantId),
      pathOf('game', randomUUID()),
      pathOf('game', 'x'),
    ];
    for (const path of missing) {
      assert.equal((await app.http.patch(path, { name: 'x' }, admin)).status, 404, path);
      assert.equal((await app.http.delete(path, admin)).status, 404, path);
    }
    assert.equal(await useKey(game.key), 404, 'the key still works');
    assert.equal((await change('game', game.id.toUpperCase(), { name: 'x' })).status, 200);
  });

  test('lets viewers read and admins change, and returns 404 to others', async () => {
    for (const kind of kinds) {
      const { id } = (await create(kind)).body;
      const requests = (caller: object) => [
        app.http.get(pathOf(kind), caller),
        app.http.post(pathOf(kind), { name: 'x' }, caller),
        app.http.patch(pathOf(kind, id), { name: 'x' }, caller),
        app.http.delete(pathOf(kind, id), caller),
      ];
      const statuses = async (caller: object) =>
        (await Promise.all(requests(caller))).map((answer) => answer.status);
      assert.deepEqual(await statuses(viewer), [200, 403, 403, 403]);
      assert.deepEqual(await statuses(stranger), [404, 404, 404, 404]);
      for (const caller of [{}, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }])
        assert.deepEqual(await statuses(caller), [401, 401, 401, 401]);
      // The id of a workspace instead of a tenant.
      const swapped = await app.http.post(pathOf(kind, '', tenant.workspaceId), { name: 'x' }, admin);
      assert.equal(swapped.status, 404);
    }
  });

  test('returns 400 for limits above the plan, and a lowered plan lowers the limit of a key', async () => {
    const setPlan = (rateLimit: object) => arrangePlan(app, tenant, { rateLimit });
    for (const kind of kinds) {
      await setPlan({ perMinute: 1_000, perHour: 5_000 });
      const { id } = (await create(kind)).body;
      for (const [name, most] of [
        ['perMinute', 1_000],
        ['perHour', 5_000],
      ] as const) {
        for (const refused of [
          await create(kind, { rateLimit: { [name]: most + 1 } }),
          await change(kind, id, { rateLimit: { [name]: most + 1 } }),
        ]) {
          assert.equal(refused.status, 400);
          assert.deepEqual(refused.body.errors, [
            { path: `rateLimit.${name}`, message: `must be at most ${most}, the limit of the plan` },
          ]);
        }
        assert.equal((await create(kind, { rateLimit: { [name]: most } })).status, 201);
      }
    }
    const { key } = (await create('game', { rateLimit: { perMinute: 1_000 } })).body;
    await setPlan({ perMinute: 2 });
    const statuses = [await useKey(key), await useKey(key), await useKey(key)];
    assert.deepEqual(statuses, [404, 404, 429]);
  });
});
