import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { firstIdAt } from '../../../core/ids.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestMailServer } from '../../../testing/mail-server.ts';
import { startTestApp, startTestWorker, type TestApp } from '../../../testing/test-app.ts';

const SUPPRESSION = 4;
const env = { ALERT_SUPPRESSION_SECONDS: String(SUPPRESSION) };
const app = await startTestApp();
const shortSuppression = await startTestApp({ databaseUrl: app.databaseUrl, env });

interface Thresholds {
  rateLimitPerMinute?: number;
  payloadBytesPerMinute?: number;
}

/** A tenant with these thresholds, and its owner. */
async function arrangeWatched(thresholds: Thresholds, at: TestApp = app) {
  const tenant = await arrangeTenant(app);
  const owner = await arrangeAccount(app, tenant, 'owner');
  const path = `/api/bus_tenants/${tenant.tenantId}`;
  const set = async (change: Thresholds) => {
    const answer = await at.http.patch(`${path}/alert-settings`, change, owner);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  await set(thresholds);
  const list = async (query = '') => {
    const answer = await app.http.get(`/api/workspaces/${tenant.workspaceId}/alerts${query}`, owner);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const raised = async (count: number) => eventually(async () => (await list()).totalCount >= count);
  return { tenant, owner, path, set, list, raised };
}

const ask = async ({ gameKey }: Pick<TestTenant, 'gameKey'>, times: number, at: TestApp = app) => {
  for (let index = 0; index < times; index++)
    await at.http.get(`/api/game/matches/${randomUUID()}`, { gameKey });
};
const sendBytes = ({ gameKey }: Pick<TestTenant, 'gameKey'>, bytes: number) =>
  app.http.raw('POST', '/api/player-auth/refresh', `"${'x'.repeat(bytes - 2)}"`, { gameKey });

/** Waits until all earlier counts have been checked: it raises one more alert and waits for it. */
async function untilChecked(): Promise<void> {
  const { tenant, raised } = await arrangeWatched({ rateLimitPerMinute: 1 });
  await ask(tenant, 2);
  await raised(1);
}

describe('traffic alerts', () => {
  test('are listed and counted up to the last 10,000 of a time range', async () => {
    const { tenant, list } = await arrangeWatched({});
    const raise = (count: number, at: string) =>
      app.owner.query(
        `INSERT INTO alerts (tenant_id, id, workspace_id, type, key_id, key_kind, threshold, observed, window_start, created_at)
         SELECT tenant_id, overlay($4 PLACING right(gen_random_uuid()::text, 12) FROM 25)::uuid, $2, 'rate_spike', id, 'game', 1, 2, $5, $5
         FROM tenant_keys CROSS JOIN generate_series(1, $3) WHERE tenant_id = $1 AND kind = 'game'`,
        [tenant.tenantId, tenant.workspaceId, count, firstIdAt(at, 0), at],
      );
    await raise(1, '2026-01-01T00:00:00Z');
    await raise(10_000, '2026-01-02T00:00:00Z');
    assert.equal((await list()).totalCount, 10_000);
    assert.equal((await list('?offset=9999')).items.length, 1);
    assert.equal((await list('?to=2026-01-01T12:00:00Z')).totalCount, 1, 'older alerts are found by time');
    assert.equal((await list('?type=payload_spike')).totalCount, 0);
  });

  test('raise no alert at the request threshold, and one alert at one request above it', async () => {
    const { tenant, list, raised } = await arrangeWatched({ rateLimitPerMinute: 20 });
    await ask(tenant, 20);
    await untilChecked();
    assert.equal((await list()).totalCount, 0);
    await ask(tenant, 1);
    await raised(1);
    await ask(tenant, 5);
    await untilChecked();
    const { items, ...page } = await list();
    assert.deepEqual(page, { limit: 50, offset: 0, totalCount: 1 });
    const [{ id, keyId, windowStart, createdAt, ...alert }] = items;
    assert.deepEqual(alert, {
      type: 'rate_spike',
      keyKind: 'game',
      tenantId: tenant.tenantId,
      threshold: 20,
      observed: 21,
    });
    for (const guid of [id, keyId]) assert.match(guid, /^[0-9a-f-]{36}$/);
    const age = Date.parse(createdAt) - Date.parse(windowStart);
    assert.ok(age >= 58_000 && age < 70_000, `${age} ms`);
  });

  test('raise no alert at the byte threshold, and one alert at one byte above it', async () => {
    const { tenant, list, raised } = await arrangeWatched({ payloadBytesPerMinute: 1000 });
    await sendBytes(tenant, 600);
    await sendBytes(tenant, 400);
    await untilChecked();
    assert.equal((await list()).totalCount, 0);
    await sendBytes(tenant, 2);
    await raised(1);
    const { items } = await list();
    assert.deepEqual(
      items.map(({ type, threshold, observed }: Record<string, unknown>) => [type, threshold, observed]),
      [['payload_spike', 1000, 1002]],
    );
  });

  test('count refused requests, but no requests without a valid key', async () => {
    const { tenant, raised, list } = await arrangeWatched({
      rateLimitPerMinute: 3,
      payloadBytesPerMinute: 60_000,
    });
    const { http } = app;
    for (const caller of [
      { gameKey: `${tenant.gameKey}x` },
      { gameKey: tenant.apiKey },
      { apiKey: tenant.gameKey },
    ])
      for (let index = 0; index < 5; index++) await http.get(`/api/player-profiles/${randomUUID()}`, caller);
    await untilChecked();
    assert.equal((await list()).totalCount, 0);

    const login = (body: unknown) => http.post('/api/player-auth/login', body, tenant);
    assert.equal((await login({ provider: 'Mock' })).status, 400);
    assert.equal((await login({ provider: 'StoreA', token: 'x' })).status, 422);
    assert.equal((await http.get('/api/player-auth/nowhere', tenant)).status, 404);
    assert.equal((await login({ provider: 'Mock', token: 'mock:a' })).status, 401);
    await untilChecked();
    assert.equal((await list()).totalCount, 0, 'a path without a route verifies no key');
    const tooLarge = await login({ token: 'x'.repeat(1_100_000) });
    assert.equal(tooLarge.status, 413);
    await raised(2);
    const { items } = await list();
    assert.deepEqual(items.map(({ type }: { type: string }) => type).toSorted(), [
      'payload_spike',
      'rate_spike',
    ]);
  });

  test('watch API keys too, and each key separately', async () => {
    const { tenant, list, raised } = await arrangeWatched({ rateLimitPerMinute: 3 });
    const look = () => app.http.get(`/api/player-profiles/${randomUUID()}`, { apiKey: tenant.apiKey });
    await ask(tenant, 3);
    for (let index = 0; index < 3; index++) await look();
    await untilChecked();
    assert.equal((await list()).totalCount, 0);
    await look();
    await raised(1);
    assert.equal((await list()).items[0].keyKind, 'api');
  });

  test('use the thresholds of the key before those of the tenant', async () => {
    const { tenant, owner, path, list, raised } = await arrangeWatched({ rateLimitPerMinute: 2 });
    const { body: strict } = await app.http.post(
      `${path}/game-keys`,
      { name: 'strict', rateLimitPerMinute: 1 },
      owner,
    );
    const { body: lax } = await app.http.post(
      `${path}/game-keys`,
      { name: 'lax', rateLimitPerMinute: 1000 },
      owner,
    );
    await ask(tenant, 2);
    await ask({ gameKey: lax.key }, 5);
    await ask({ gameKey: strict.key }, 2);
    await raised(1);
    await untilChecked();
    const { items } = await list();
    assert.deepEqual(
      items.map(({ keyId, threshold }: Record<string, unknown>) => [keyId, threshold]),
      [[strict.id, 1]],
    );
    const lower = { rateLimitPerMinute: 4, payloadBytesPerMinute: 1000 };
    await app.http.patch(`${path}/game-keys/${lax.id}`, lower, owner);
    await sendBytes({ gameKey: lax.key }, 1001);
    await raised(3);
    assert.deepEqual(
      (await list()).items
        .filter(({ keyId }: { keyId: string }) => keyId === lax.id)
        .map(({ type, threshold }: Record<string, unknown>) => [type, threshold])
        .toSorted(),
      [
        ['payload_spike', 1000],
        ['rate_spike', 4],
      ],
    );
  });

  test('count requests that a rate limit refuses', async () => {
    const { tenant, owner, path, raised } = await arrangeWatched({ rateLimitPerMinute: 5 });
    const limited = await app.http.post(
      `${path}/game-keys`,
      { name: 'x', rateLimit: { perMinute: 2 } },
      owner,
    );
    await ask({ gameKey: limited.body.key }, 5);
    const last = await app.http.get(`/api/game/matches/${tenant.tenantId}`, { gameKey: limited.body.key });
    assert.equal(last.status, 429);
    await raised(1);
  });

  test('use changed thresholds at once, and in other processes after their notification', async () => {
    const { tenant, set, list, raised } = await arrangeWatched({ rateLimitPerMinute: 1000 });
    await ask(tenant, 5);
    await ask(tenant, 5, shortSuppression);
    await set({ rateLimitPerMinute: 5 });
    await ask(tenant, 1);
    await raised(1);
    assert.equal((await list()).items[0].threshold, 5);
    await set({ rateLimitPerMinute: 3 });
    await eventually(async () => {
      await ask(tenant, 1, shortSuppression);
      return (await list()).totalCount >= 2;
    });
    assert.equal((await list()).items[0].threshold, 3);
  });

  test('raise the next alert after the suppression time while the key stays above', async () => {
    const { tenant, list, raised } = await arrangeWatched({ rateLimitPerMinute: 1 }, shortSuppression);
    await ask(tenant, 2, shortSuppression);
    await raised(2);
    const [later, earlier] = (await list()).items;
    const between = Date.parse(later.createdAt) - Date.parse(earlier.createdAt);
    assert.ok(between >= SUPPRESSION * 1000, `${between} ms`);
  });
});

describe('PATCH /api/bus_tenants/:tenantId/alert-settings', () => {
  test('changes the given thresholds, validates them, and writes an audit record', async () => {
    const { owner, path, set } = await arrangeWatched({ rateLimitPerMinute: 7 });
    const read = await app.http.get(`${path}/alert-settings`, owner);
    assert.deepEqual(read.body, { rateLimitPerMinute: 7, payloadBytesPerMinute: 64 * 1024 * 1024 });
    const largest = { rateLimitPerMinute: 2 ** 31 - 1, payloadBytesPerMinute: Number.MAX_SAFE_INTEGER };
    assert.deepEqual(await set(largest), largest);
    assert.deepEqual(await set({}), largest);
    for (const body of [
      { rateLimitPerMinute: 0 },
      { rateLimitPerMinute: 2 ** 31 },
      { rateLimitPerMinute: '5' },
      { rateLimitPerMinute: 1.5 },
      { payloadBytesPerMinute: 0 },
      { payloadBytesPerMinute: Number.MAX_SAFE_INTEGER + 1 },
      [],
    ])
      assert.equal(
        (await app.http.patch(`${path}/alert-settings`, body, owner)).status,
        400,
        JSON.stringify(body),
      );
    const records = await app.http.get(`${path}/audit-records?action=alert_settings.updated`, owner);
    assert.deepEqual(
      records.body.items.map(({ details }: { details: unknown }) => details),
      [
        {
          before: { rateLimitPerMinute: 7, payloadBytesPerMinute: 64 * 1024 * 1024 },
          after: largest,
        },
        { before: { rateLimitPerMinute: 60_000 }, after: { rateLimitPerMinute: 7 } },
      ],
    );
  });
});

describe('GET /api/workspaces/:workspaceId/alerts', () => {
  test('returns filtered pages without the alerts of other workspaces', async () => {
    const { tenant, owner, list } = await arrangeWatched({});
    const sibling = await arrangeTenant(app, tenant);
    const stranger = await arrangeWatched({});
    const begin = Date.parse('2026-11-01T00:00:00Z');
    let minute = 0;
    const add = async ({ tenantId, workspaceId }: TestTenant, kind: string, type: string) => {
      const at = new Date(begin + 60_000 * minute++).toISOString();
      const { rows } = await app.owner.query(
        `INSERT INTO alerts (tenant_id, id, workspace_id, type, key_id, key_kind, threshold, observed, window_start, created_at)
       SELECT $1, $5, $2, $4, id, kind, 1, 2, $6, $6 FROM tenant_keys WHERE tenant_id = $1 AND kind = $3
       RETURNING id, key_id`,
        [tenantId, workspaceId, kind, type, firstIdAt(at, 0), at],
      );
      return rows[0];
    };
    const added = [
      await add(tenant, 'game', 'rate_spike'),
      await add(tenant, 'game', 'payload_spike'),
      await add(tenant, 'api', 'rate_spike'),
      await add(sibling, 'game', 'rate_spike'),
    ];
    await add(stranger.tenant, 'game', 'rate_spike');
    const indexes = async (query: string) =>
      (await list(query)).items.map(({ id }: { id: string }) => added.findIndex((one) => one.id === id));
    assert.deepEqual(await indexes(''), [3, 2, 1, 0]);
    assert.deepEqual(await indexes('?limit=2&offset=1'), [2, 1]);
    assert.deepEqual(await indexes(`?tenantId=${tenant.tenantId}`), [2, 1, 0]);
    assert.deepEqual(await indexes(`?tenantId=${stranger.tenant.tenantId}`), []);
    assert.deepEqual(await indexes('?type=payload_spike'), [1]);
    assert.deepEqual(await indexes(`?keyId=${added[0].key_id}`), [1, 0]);
    assert.deepEqual(await indexes('?from=2026-11-01T00:01:00Z&to=2026-11-01T00:03:00Z'), [2, 1]);
    assert.deepEqual(await indexes('?from=2026-11-01T01:02:00%2B01:00'), [3, 2]);
    assert.equal((await list('?type=rate_spike&limit=1')).totalCount, 3);
    const path = `/api/workspaces/${tenant.workspaceId}/alerts`;
    for (const query of [
      'type=spike',
      'keyId=x',
      'from=yesterday',
      'to=2026-11-01',
      'limit=201',
      'offset=-1',
    ])
      assert.equal((await app.http.get(`${path}?${query}`, owner)).status, 400, query);
    const foreign = await app.http.get(`/api/workspaces/${stranger.tenant.workspaceId}/alerts`, owner);
    assert.equal(foreign.status, 404);
    assert.equal((await app.http.get(`/api/workspaces/${randomUUID()}/alerts`, owner)).status, 404);
  });
});

describe('notification about an alert', () => {
  test('notifies the team in the console and by email', async () => {
    const server = await startTestMailServer();
    const { tenant, owner } = await arrangeWatched({ rateLimitPerMinute: 4 });
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    await arrangePlayer(app, tenant);
    await ask(tenant, 4);
    await startTestWorker(app, { SMTP_URL: server.url, PUBLIC_URL: app.issuer });
    const address = `${owner.accountId}@example.com`;
    const mine = () => server.mails.filter(({ envelope }) => envelope.to.includes(address));
    await eventually(() => mine().length > 0);
    const { body } = await app.http.get('/api/notifications', owner);
    assert.deepEqual(
      body.items.map(({ type, tenantId, data }: Record<string, any>) => [type, tenantId, data['observed']]), // oxlint-disable-line typescript/no-explicit-any
      [['alert.rate_spike', tenant.tenantId, 5]],
    );
    assert.equal(mine().length, 1);
    assert.equal(mine()[0]?.subject, 'Rate spike on a game key');
    const [text, link] = mine()[0]!.text!.split('\n\n');
    assert.equal(text, body.items[0].text);
    const { rows } = await app.owner.query('SELECT name FROM tenants WHERE id = $1', [tenant.tenantId]);
    assert.match(text!, new RegExp(`^The game key “.+” of the game “${rows[0].name}” sent 5 requests`));
    assert.equal(link, `${app.issuer}/workspaces/${tenant.workspaceId}/alerts?tenantId=${tenant.tenantId}`);
    assert.equal((await app.http.get('/api/notifications', viewer)).body.totalCount, 0);
  });
});
