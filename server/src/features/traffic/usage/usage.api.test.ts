import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { someEvents } from '../../../testing/player-events.ts';

const app = await startTestApp();

/** A tenant in its own workspace, with an account that may read its usage. The month does not change during its test. */
async function arrangePayer() {
  await avoidEndOf('month');
  const tenant = await arrangeTenant(app, { autoCreate: true });
  const viewer = await arrangeAccount(app, tenant, 'viewer');
  const look = async (path: string) => app.http.get(`/api/workspaces/${tenant.workspaceId}/${path}`, viewer);
  return {
    ...tenant,
    viewer,
    look,
    quota: async () => (await look('quota')).body,
    used: async () => (await look('quota')).body.used as number,
    usage: async (query: string) => (await look(`usage?${query}`)).body.items,
  };
}

describe('usage metering', () => {
  test('charges one unit for an accepted write at once, and nothing for a refused one', async () => {
    const payer = await arrangePayer();
    assert.equal(await payer.used(), 0);
    const ada = await arrangePlayer(app, payer, 'ada');
    assert.equal(await payer.used(), 1);
    const refusals = [
      await app.http.post('/api/player-auth/login', { provider: 'Mock', token: 'mock:ada:wrong' }, payer),
      await app.http.post('/api/player-auth/login', {}, payer),
      await app.http.post('/api/player-auth/refresh', { refreshToken: 'nonsense' }, payer),
      await app.http.post('/api/player-auth/logout', { sessionId: randomUUID() }, payer),
      await app.http.post('/api/game/matches', { players: [{ playerId: randomUUID() }] }, payer),
      await app.http.post(`/api/game/matches/${randomUUID()}/end`, undefined, payer),
      await app.http.post(`/api/game/matches/${randomUUID()}/join`, { playerId: ada.playerId }, payer),
      await app.http.put(
        `/api/game/matches/${randomUUID()}/results`,
        { results: [{ matchPlayerId: randomUUID(), score: 1 }] },
        payer,
      ),
    ];
    assert.deepEqual(
      refusals.map(({ status }) => status),
      [401, 400, 401, 404, 404, 404, 404, 404],
    );
    assert.equal(await payer.used(), 1);
  });

  test('charges one unit for every kind of write', async () => {
    const payer = await arrangePayer();
    const ada = await arrangePlayer(app, payer);
    let units = 1;
    const write = async (method: 'post' | 'put', path: string, body: unknown, caller: object = payer) => {
      const answer = await app.http[method](path, body, caller);
      assert.ok(answer.status < 300, `${path}: ${answer.text}`);
      assert.equal(await payer.used(), ++units, path);
      return answer.body;
    };
    const { refreshToken } = await write('post', '/api/player-auth/refresh', {
      refreshToken: ada.refreshToken,
    });
    assert.equal(
      (await app.http.post('/api/player-auth/refresh', { refreshToken: ada.refreshToken }, payer)).status,
      401,
    );
    await write('post', '/api/player-auth/refresh', { refreshToken });
    await write('post', '/api/player-auth/jwt/exchange', { audience: 'web' }, ada.caller);
    const match = await write('post', '/api/game/matches', { players: [{ playerId: ada.playerId }] });
    const at = `/api/game/matches/${match.matchSessionId}`;
    const { matchPlayerId } = match.players[0];
    await write('put', `${at}/results`, { results: [{ matchPlayerId, score: 1 }] });
    await write('post', `${at}/leave`, { matchPlayerId });
    await write('post', `${at}/leave`, { matchPlayerId });
    await write('post', `${at}/join`, { playerId: ada.playerId });
    await write('post', `${at}/end`, undefined);
    await write('post', `${at}/end`, undefined);
    await write('post', '/api/player-auth/logout', { sessionId: ada.sessionId });
    await write('post', '/api/player-auth/logout', { sessionId: ada.sessionId });
  });

  test('charges one unit for each stored event of a small and of a large batch', async () => {
    const payer = await arrangePayer();
    const ada = await arrangePlayer(app, payer);
    let units = 1;
    const send = async (events: object[], status: number, stored: number) => {
      const answer = await app.http.post('/api/game/player-events', { events }, ada.caller);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.body.records.length, stored);
      assert.equal(await payer.used(), (units += stored));
    };
    const few = someEvents(ada.playerId, 3);
    await send(few, 201, 3);
    await send(few, 422, 0);
    await send([...few, ...someEvents(ada.playerId, 2), { ...few[0], playerId: randomUUID() }], 201, 2);
    // A batch of 20 events or more has its own COPY, which PostgreSQL refuses if one of them is stored already.
    const many = someEvents(ada.playerId, 100);
    await send(many, 201, 100);
    await send(many, 422, 0);
    await send([...many.slice(50), ...someEvents(ada.playerId, 50)], 201, 50);
  });

  test('charges one unit for each accepted read, and counts the bytes of all requests', async () => {
    const payer = await arrangePayer();
    const ada = await arrangePlayer(app, payer);
    const path = `/api/player-profiles/${ada.playerId}`;
    await eventually(async () => (await payer.quota()).bytesOut > 0);
    const { bytesOut: bytesOfLogin } = await payer.quota();
    const answers = [
      await app.http.get(path, { gameKey: payer.gameKey }),
      await app.http.get(path, { apiKey: payer.apiKey }),
      await app.http.post(
        '/api/player-profiles/bulk',
        { playerIds: [ada.playerId] },
        { apiKey: payer.apiKey },
      ),
      await app.http.post(
        '/api/player-auth/players/exists',
        { provider: 'Mock', providerUserId: ada.username },
        payer,
      ),
      await app.http.get(`/api/bus_tenants/${payer.tenantId}/events?scope=player`, { apiKey: payer.apiKey }),
      await app.http.get(`/api/bus_tenants/${payer.tenantId}/events/export?scope=player&format=csv`, {
        apiKey: payer.apiKey,
      }),
      await app.http.get(`/api/bus_tenants/${payer.tenantId}/sessions/analytics`, { apiKey: payer.apiKey }),
      await app.http.get(`/api/bus_tenants/${payer.tenantId}/matches`, { apiKey: payer.apiKey }),
    ];
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    const refused = [
      await app.http.get(`/api/player-profiles/${randomUUID()}`, { gameKey: payer.gameKey }),
      await app.http.get(`/api/bus_tenants/${payer.tenantId}/events?scope=x`, { apiKey: payer.apiKey }),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [404, 400],
    );
    // A request with a console account has no key, so it is not billed.
    const console = await app.http.get(
      `/api/bus_tenants/${payer.tenantId}/events?scope=player`,
      payer.viewer,
    );
    assert.equal(console.status, 200);
    const bytesOfBodies = [...answers, ...refused].reduce(
      (sum, { text }) => sum + Buffer.byteLength(text),
      0,
    );
    await eventually(async () => (await payer.quota()).bytesOut === bytesOfLogin + bytesOfBodies);
    assert.equal(await payer.used(), 1 + answers.length);
    const byKey = await payer.usage('groupBy=key');
    assert.deepEqual(
      byKey.map((row: { keyKind: string; units: number }) => [row.keyKind, row.units]),
      [
        ['api', 6],
        ['game', 3],
      ],
    );
    const [api] = byKey;
    const withApiKey = [
      answers[1]!,
      answers[2]!,
      answers[4]!,
      answers[5]!,
      answers[6]!,
      answers[7]!,
      refused[1]!,
    ];
    assert.equal(
      api.bytesOut,
      withApiKey.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      'streamed responses count too',
    );
    assert.equal(api.bytesIn, Buffer.byteLength(JSON.stringify({ playerIds: [ada.playerId] })));
    const { bytesIn, bytesOut } = await payer.quota();
    assert.equal(bytesIn, byKey[0].bytesIn + byKey[1].bytesIn);
    assert.equal(bytesOut, byKey[0].bytesOut + byKey[1].bytesOut);
  });

  test('charges a read whose client disconnects, and counts the bytes sent until then', async () => {
    const payer = await arrangePayer();
    const ada = await arrangePlayer(app, payer);
    const events = someEvents(ada.playerId, 10_000);
    assert.equal((await app.http.post('/api/game/player-events', { events }, ada.caller)).status, 201);
    const path = `${app.url}/api/bus_tenants/${payer.tenantId}/events/export?scope=player&format=ndjson`;
    const reader = new AbortController();
    const headers = { 'x-api-key': payer.apiKey };
    const { body } = await fetch(path, { headers, signal: reader.signal });
    await body!.getReader().read();
    reader.abort();
    await eventually(async () => (await payer.used()) === 1 + events.length + 1);
    const byKey: { keyKind: string; bytesOut: number }[] = await payer.usage('groupBy=key');
    const sent = byKey.find(({ keyKind }) => keyKind === 'api')?.bytesOut ?? 0;
    assert.ok(sent > 0);
  });

  test('counts the bytes of a body without a content-length', async () => {
    const payer = await arrangePayer();
    const body = JSON.stringify({ provider: 'Mock', token: 'mock:chunky:secret' });
    const answer = await fetch(`${app.url}/api/player-auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-game-key': payer.gameKey },
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    assert.equal(answer.status, 200);
    await eventually(async () => (await payer.quota()).bytesIn === body.length);
  });
});

describe('GET /api/workspaces/:workspaceId/quota', () => {
  test('returns the plan and its use in the calendar month', async () => {
    const payer = await arrangePayer();
    const { periodStart, periodEnd, ...quota } = await payer.quota();
    assert.deepEqual(quota, {
      plan: 'default',
      limit: null,
      used: 0,
      bytesIn: 0,
      bytesOut: 0,
      hardStop: false,
    });
    const now = new Date();
    const month = (number: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + number)).toISOString().replace('.000', '');
    assert.deepEqual([periodStart, periodEnd], [month(0), month(1)]);
    await app.owner.query(
      `UPDATE workspaces SET plan = 'Studio', monthly_units = 10, hard_stop = true WHERE id = $1`,
      [payer.workspaceId],
    );
    const changed = await payer.quota();
    assert.deepEqual([changed.plan, changed.limit, changed.hardStop], ['Studio', 10, true]);
  });
});

describe('GET /api/workspaces/:workspaceId/usage', () => {
  test('returns the same usage by day, tenant and key, before and after the aggregation', async () => {
    await avoidEndOf('day');
    const today = new Date();
    const payer = await arrangePayer();
    const second = await arrangeTenant(app, { workspaceId: payer.workspaceId });
    const sent = { bytesIn: 0, bytesOut: 0 };
    for (const [index, tenant] of [payer, second, second, second].entries()) {
      const body = { provider: 'Mock', token: `mock:player-${index}:secret` };
      const answer = await app.http.post('/api/player-auth/login', body, tenant);
      assert.equal(answer.status, 200, answer.text);
      sent.bytesIn += Buffer.byteLength(JSON.stringify(body));
      sent.bytesOut += Buffer.byteLength(answer.text);
    }
    const look = async () => ({
      days: await payer.usage(''),
      tenants: await payer.usage('groupBy=tenant'),
      keys: await payer.usage('groupBy=key'),
    });
    // Bytes are written within 0.5 seconds, possibly in several steps.
    await eventually(async () => {
      const { bytesIn, bytesOut } = (await look()).days.at(-1);
      return isDeepStrictEqual({ bytesIn, bytesOut }, sent);
    });
    const before = await look();
    assert.equal(before.days.length, today.getUTCDate(), 'every day of the month so far');
    assert.deepEqual(
      [before.days.at(-1).day, before.days.at(-1).units],
      [today.toISOString().slice(0, 10), 4],
    );
    assert.deepEqual(
      before.tenants.map((row: Record<string, unknown>) => [row['tenantId'], row['units']]),
      [
        [second.tenantId, 3],
        [payer.tenantId, 1],
      ],
    );
    assert.ok(before.tenants.every((row: { tenantName: unknown }) => typeof row.tenantName === 'string'));
    assert.deepEqual(
      before.keys.map((row: Record<string, unknown>) => [row['keyName'], row['keyKind'], row['units']]),
      [
        ['test', 'game', 3],
        ['test', 'game', 1],
      ],
    );
    const worker = await startTestWorker(app);
    await eventually(async () => (await app.owner.query('SELECT FROM usage_entries')).rowCount === 0);
    await worker.stop();
    assert.deepEqual(await look(), before);
    assert.equal(await payer.used(), 4);
  });

  test('returns the usage of one tenant and of one key, before and after the aggregation', async () => {
    await avoidEndOf('day');
    const payer = await arrangePayer();
    const second = await arrangeTenant(app, { workspaceId: payer.workspaceId });
    const strange = await arrangePayer();
    const created = await app.http.post(
      `/api/bus_tenants/${second.tenantId}/game-keys`,
      { name: 'twin' },
      await arrangeAccount(app, payer, 'admin'),
    );
    const twin = { ...second, gameKey: created.body.key };
    const keyId = created.body.id;
    for (const [index, tenant] of [payer, second, twin, strange].entries()) {
      const body = { provider: 'Mock', token: `mock:one-${index}:secret` };
      const answer = await app.http.post('/api/player-auth/login', body, tenant);
      assert.equal(answer.status, 200, answer.text);
    }
    const unitsOf = async (query: string) =>
      (await payer.usage(query)).map((row: { units: number }) => row.units);
    const look = async () => ({
      days: (await unitsOf(`tenantId=${second.tenantId}`)).at(-1),
      tenants: await unitsOf(`groupBy=tenant&tenantId=${second.tenantId}`),
      keys: await unitsOf(`groupBy=key&tenantId=${second.tenantId}`),
      daysOfKey: (await unitsOf(`keyId=${keyId}`)).at(-1),
      tenantsOfKey: await unitsOf(`groupBy=tenant&keyId=${keyId}`),
      keyOfOtherTenant: await unitsOf(`groupBy=key&keyId=${keyId}&tenantId=${payer.tenantId}`),
      strange: await unitsOf(`groupBy=tenant&tenantId=${strange.tenantId}`),
    });
    const wanted = {
      days: 2,
      tenants: [2],
      keys: [1, 1],
      daysOfKey: 1,
      tenantsOfKey: [1],
      keyOfOtherTenant: [],
      strange: [],
    };
    assert.deepEqual(await look(), wanted);
    const worker = await startTestWorker(app);
    await eventually(async () => (await app.owner.query('SELECT FROM usage_entries')).rowCount === 0);
    await worker.stop();
    assert.deepEqual(await look(), wanted);
    assert.equal((await payer.look('usage?tenantId=x')).status, 400);
    assert.equal((await payer.look('usage?keyId=x')).status, 400);
  });

  test('returns whole UTC days, and 400 for an invalid range', async () => {
    const payer = await arrangePayer();
    const seed = (day: string, units: number) =>
      app.owner.query(
        `INSERT INTO usage_entries (workspace_id, at, tenant_id, key_id, units)
       SELECT $1, $2, tenant_id, id, $3 FROM tenant_keys WHERE tenant_id = $4 AND kind = 'game'`,
        [payer.workspaceId, `${day}T00:00:00Z`, units, payer.tenantId],
      );
    for (const [day, units] of [
      ['2026-02-28', 1],
      ['2026-03-01', 2],
      ['2026-03-02', 4],
    ] as const)
      await seed(day, units);
    const unitsOf = async (query: string) =>
      (await payer.usage(query)).map((row: { units: number }) => row.units);
    const assertDays = async () => {
      assert.deepEqual(await unitsOf('from=2026-03-01&to=2026-03-03'), [2, 4]);
      assert.deepEqual(await unitsOf('from=2026-02-28T23:59:59Z&to=2026-03-01T00:00:00Z'), [1]);
      assert.deepEqual(await unitsOf('from=2026-03-01T12:00:00Z&to=2026-03-02T00:00:01Z'), [2, 4]);
      assert.deepEqual(await unitsOf('from=2026-03-01T00:00:00.0001Z&to=2026-03-01T00:00:00.0009Z'), [2]);
      assert.deepEqual(await unitsOf('from=2026-03-01&to=2026-03-02T00:00:00.0005Z'), [2, 4]);
      assert.deepEqual(await unitsOf('from=2026-03-01T00:30:00%2B01:00&to=2026-03-02'), [1, 2]);
      assert.deepEqual(await unitsOf('from=2026-03-01T00:30:00%2B0100&to=2026-03-02'), [1, 2]);
      assert.deepEqual(await unitsOf('to=2026-03-03'), [2, 4]);
      assert.deepEqual(await unitsOf('from=2026-02-01&to=2026-04-01&groupBy=tenant'), [7]);
      assert.deepEqual(await unitsOf('from=2026-03-01&to=2026-03-02&groupBy=tenant'), [2]);
      assert.equal((await unitsOf('from=2025-03-02&to=2026-03-03')).length, 366);
      assert.deepEqual(await unitsOf('from=9999-12-30&to=9999-12-31'), [0]);
      assert.equal(await payer.used(), 0, 'none of it belongs to this month');
    };
    await assertDays();
    const worker = await startTestWorker(app);
    await eventually(async () => (await app.owner.query('SELECT FROM usage_entries')).rowCount === 0);
    await worker.stop();
    await assertDays();
    for (const query of [
      'from=2025-03-01&to=2026-03-03',
      'from=2026-03-03&to=2026-03-03',
      'from=2026-03-04&to=2026-03-03',
      'from=2026-02-30',
      'from=2026-03-01T00:00:00',
      'from=9999-12-31&to=9999-12-31T00:00:01Z',
      'to=yesterday',
      'groupBy=player',
    ]) {
      const answer = await payer.look(`usage?${query}`);
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.code, 'invalid_request');
    }
  });

  test('charges the subscriber for its reads, without names of the other workspace', async () => {
    const [publisher, subscriber] = [await arrangePayer(), await arrangePayer()];
    const ada = await arrangePlayer(app, publisher);
    const { accountId } = await arrangeAccount(app, subscriber, 'owner');
    await app.owner.query(
      `UPDATE tenant_keys
     SET subscriber_workspace_id = $1, subscriber_agreement_id = id, subscriber_agreed_by = $3, subscriber_agreed_at = now(), name = 'secret'
     WHERE tenant_id = $2 AND kind = 'api'`,
      [subscriber.workspaceId, publisher.tenantId, accountId],
    );
    const read = () => app.http.get(`/api/player-profiles/${ada.playerId}`, { apiKey: publisher.apiKey });
    await eventually(async () => {
      await read();
      return (await subscriber.used()) > 0;
    });
    const rows = await subscriber.usage('groupBy=key');
    assert.equal(rows.length, 1);
    const { keyId: _, units, bytesIn, bytesOut, ...row } = rows[0];
    assert.ok(units > 0 && bytesOut > 0);
    assert.equal(bytesIn, 0);
    assert.deepEqual(row, {
      tenantId: publisher.tenantId,
      tenantName: null,
      keyName: null,
      keyKind: 'api',
    });
    const [tenants] = await subscriber.usage('groupBy=tenant');
    assert.equal(tenants.tenantName, null);
    assert.deepEqual(
      (await publisher.usage('groupBy=key')).map((own: { keyKind: string; units: number }) => [
        own.keyKind,
        own.units,
      ]),
      [['game', 1]],
      'the publisher pays only for its own requests',
    );
  });

  test('returns 404 to members of other workspaces, and 401 without an account, like the quota', async () => {
    const payer = await arrangePayer();
    const stranger = await arrangeAccount(app, await arrangeTenant(app), 'owner');
    for (const path of ['quota', 'usage']) {
      const at = (workspaceId: string) => `/api/workspaces/${workspaceId}/${path}`;
      assert.equal((await app.http.get(at(payer.workspaceId), stranger)).status, 404);
      assert.equal((await app.http.get(at(randomUUID()), payer.viewer)).status, 404);
      assert.equal((await app.http.get(at('nonsense'), payer.viewer)).status, 404);
      assert.equal((await app.http.get(at(payer.workspaceId))).status, 401);
      const { gameKey, apiKey }: TestTenant = payer;
      assert.equal((await app.http.get(at(payer.workspaceId), { gameKey, apiKey })).status, 401);
    }
  });
});
