import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlan,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
  mockClient,
  type TestTenant,
} from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { someEvents } from '../../../testing/player-events.ts';

// Two processes share one database. Together they admit exactly the limit.
const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });
const platformAdmin = await arrangePlatformAdmin(app);

type Plan = { monthlyUnits: number | null; hardStop: boolean };

/** A tenant in a workspace with this plan. A change of the month would give it all units again, so there is none during its test. */
async function arrangePayer(plan: Plan) {
  await avoidEndOf('month');
  const tenant = await arrangeTenant(app, { autoCreate: true });
  const viewer = await arrangeAccount(app, tenant, 'viewer');
  const payer = {
    ...tenant,
    async quota() {
      return (await app.http.get(`/api/workspaces/${tenant.workspaceId}/quota`, viewer)).body;
    },
    setPlan: (change: Partial<Plan>) => arrangePlan(app, tenant, change),
  };
  await payer.setPlan(plan);
  return payer;
}

/** Sends a read with the tenant's game key. */
const read = (tenant: TestTenant, playerId: string, http = app.http) =>
  http.get(`/api/player-profiles/${playerId}`, { gameKey: tenant.gameKey });

const logIn = (tenant: TestTenant, username: string, http = app.http) =>
  mockClient({ http }, tenant).logIn(username);

function assertStopped(answer: Answer, limit: number, used: number): void {
  assert.equal(answer.status, 429, answer.text);
  assert.equal(answer.body.code, 'quota_exceeded');
  assert.match(answer.body.detail, used < limit ? /Send a smaller batch, wait/ : /Wait for the next period/);
  const { periodStart, periodEnd, ...quota } = answer.body.quota;
  assert.deepEqual(quota, { limit, used });
  assert.ok(Date.parse(periodStart) <= Date.now() && Date.now() < Date.parse(periodEnd));
  const wait = Number(answer.headers.get('retry-after'));
  assert.ok(Math.abs(wait - (Date.parse(periodEnd) - Date.now()) / 1000) < 60, String(wait));
}

describe('hard stop', () => {
  test('admits the units of the plan and refuses every later request', async () => {
    const payer = await arrangePayer({ monthlyUnits: 3, hardStop: true });
    const ada = await arrangePlayer(app, payer, 'ada');
    const send = (events: object[]) => app.http.post('/api/game/player-events', { events }, ada.caller);
    const batch = someEvents(ada.playerId, 2);
    assertStopped(await send([...batch, ...someEvents(ada.playerId, 1)]), 3, 1);
    assertStopped(await send(someEvents(ada.playerId, 30)), 3, 1);
    assert.equal((await send(batch)).status, 201);
    assertStopped(await logIn(payer, 'bob'), 3, 3);
    assertStopped(await send(someEvents(ada.playerId, 1)), 3, 3);
    await eventually(async () => (await read(payer, ada.playerId)).status === 429);
    const stored = await app.owner.query('SELECT FROM player_events WHERE tenant_id = $1', [payer.tenantId]);
    assert.equal(stored.rowCount, 2, 'a refused request stores nothing');
    const bob = await app.owner.query(
      `SELECT FROM auth_methods WHERE provider_user_id = 'bob' AND issuer = $1`,
      [payer.workspaceId],
    );
    assert.equal(bob.rowCount, 0);
  });

  test('is checked after all other checks, and costs nothing for duplicates', async () => {
    const payer = await arrangePayer({ monthlyUnits: null, hardStop: true });
    const ada = await arrangePlayer(app, payer, 'ada');
    const batch = someEvents(ada.playerId, 50);
    const send = (events: object[]) => app.http.post('/api/game/player-events', { events }, ada.caller);
    assert.equal((await send(batch)).status, 201);
    await payer.setPlan({ monthlyUnits: 51 });
    const again = await send(batch);
    assert.equal(again.status, 422, 'all events were stored before');
    assert.equal(again.body.duplicateCount, 50);
    assertStopped(await send([...batch, ...someEvents(ada.playerId, 1)]), 51, 51);
    await payer.setPlan({ monthlyUnits: 52 });
    const oneMore = await send([...batch, ...someEvents(ada.playerId, 1)]);
    assert.equal(oneMore.status, 201, oneMore.text);
    assert.deepEqual([oneMore.body.records.length, oneMore.body.duplicateCount], [1, 50]);

    const nowhere = '019a8f3c-0000-7000-8000-000000000001';
    assert.equal((await app.http.post('/api/player-auth/login', {}, payer)).status, 400);
    const wrong = { provider: 'Mock', token: 'mock:ada:wrong' };
    assert.equal((await app.http.post('/api/player-auth/login', wrong, payer)).status, 401);
    assert.equal((await app.http.post(`/api/game/matches/${nowhere}/end`, undefined, payer)).status, 404);
    assert.equal((await read(payer, nowhere)).status, 404);
    assert.equal(
      (await app.http.post('/api/game/matches', { players: [{ playerId: nowhere }] }, payer)).status,
      404,
    );
    assertStopped(await logIn(payer, 'ada'), 52, 52);
  });

  test('refuses no logout, and charges it', async () => {
    const payer = await arrangePayer({ monthlyUnits: 2, hardStop: true });
    const sessions = [await arrangePlayer(app, payer, 'ada'), await arrangePlayer(app, payer, 'bob')];
    assertStopped(await logIn(payer, 'ada'), 2, 2);
    const logOut = (sessionId: string) =>
      app.http.post('/api/player-auth/logout', { sessionId }, { gameKey: payer.gameKey });
    for (const { sessionId } of sessions) {
      const ended = await logOut(sessionId);
      assert.deepEqual([ended.status, ended.body.reason], [200, 'user_logout'], ended.text);
    }
    assert.equal((await payer.quota()).used, 4);
    assertStopped(await logIn(payer, 'ada'), 2, 4);
  });

  test('returns the first answer to a repeated request, and charges it', async () => {
    const payer = await arrangePayer({ monthlyUnits: 4, hardStop: true });
    const ada = await arrangePlayer(app, payer, 'ada');
    const bob = await arrangePlayer(app, payer, 'bob');
    const server = { gameKey: payer.gameKey };
    const create = (key: string) => {
      const caller = { ...server, headers: { 'idempotency-key': key } };
      return app.http.post('/api/game/matches', { players: [{ playerId: ada.playerId }] }, caller);
    };
    const match = await create('create-1');
    const join = (key: string) => {
      const path = `/api/game/matches/${match.body.matchSessionId}/join`;
      const caller = { ...server, headers: { 'idempotency-key': key } };
      return app.http.post(path, { playerId: bob.playerId }, caller);
    };
    const joined = await join('join-1234');
    assert.deepEqual([match.status, joined.status], [201, 201]);
    const [matchAgain, joinedAgain] = [await create('create-1'), await join('join-1234')];
    assert.deepEqual([matchAgain.status, matchAgain.body], [201, match.body], matchAgain.text);
    assert.deepEqual([joinedAgain.status, joinedAgain.body], [201, joined.body], joinedAgain.text);
    assertStopped(await create('create-2'), 4, 6);
    assert.equal((await payer.quota()).used, 6, 'each repeated request is a unit');
  });

  test('returns one answer to parallel requests with one key for the last unit', async () => {
    for (let round = 0; round < 5; round++) {
      const payer = await arrangePayer({ monthlyUnits: 2, hardStop: true });
      const ada = await arrangePlayer(app, payer, 'ada');
      const caller = { gameKey: payer.gameKey, headers: { 'idempotency-key': 'create-1' } };
      const answers = await Promise.all(
        [app, other, app, other, app].map(({ http }) =>
          http.post('/api/game/matches', { players: [{ playerId: ada.playerId }] }, caller),
        ),
      );
      assert.deepEqual(
        new Set(answers.map(({ status, text }) => `${status} ${text}`)),
        new Set([`201 ${answers[0]!.text}`]),
      );
      assert.equal((await payer.quota()).used, 6);
    }
  });

  test('returns the same refresh token to a repeated refresh or exchange', async () => {
    const payer = await arrangePayer({ monthlyUnits: 4, hardStop: true });
    const ada = await arrangePlayer(app, payer, 'ada');
    const exchangePath = '/api/player-auth/jwt/exchange';
    const issued = await app.http.post(
      exchangePath,
      { audience: 'web', includeRefreshToken: true },
      ada.caller,
    );
    const headers = { 'idempotency-key': 'refresh-1' };
    const { gameKey } = payer;
    const refresh = () =>
      app.http.post('/api/player-auth/refresh', { refreshToken: ada.refreshToken }, { gameKey, headers });
    const exchange = () =>
      app.http.post(
        exchangePath,
        { audience: 'web' },
        { gameKey, bearer: issued.body.refreshToken, headers },
      );
    const first = [await refresh(), await exchange()];
    assertStopped(await logIn(payer, 'ada'), 4, 4);
    const again = [await refresh(), await exchange()];
    const tokens = (answers: Answer[]) => answers.map(({ status, body }) => [status, body.refreshToken]);
    assert.deepEqual(tokens(first)[0]![0], 200, first[0]!.text);
    assert.deepEqual(tokens(again), tokens(first), again[0]!.text);
    assert.equal((await payer.quota()).used, 6);
  });

  test('admits exactly the limit from 64 writers on two processes', async () => {
    // More units than sixteen slots get at once, so that the slots run empty at different times.
    const limit = 400;
    const payer = await arrangePayer({ monthlyUnits: limit, hardStop: true });
    const player = await arrangePlayer(app, payer, 'ada');
    let accepted = 1;
    const writer = async (number: number): Promise<void> => {
      const { http } = number % 2 === 0 ? app : other;
      for (let turn = 0; turn < 12; turn++) {
        const size = [1, 3, 25][(number + turn) % 3]!;
        const answer =
          number % 4 === 3
            ? await logIn(payer, `player-${number}`, http)
            : await http.post(
                '/api/game/player-events',
                { events: someEvents(player.playerId, size) },
                player.caller,
              );
        if (answer.status === 429) continue;
        assert.ok(answer.status < 300, answer.text);
        accepted += number % 4 === 3 ? 1 : size;
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, number) => writer(number)));
    assert.equal(accepted, limit);
    assert.equal((await payer.quota()).used, limit);
    const { rows } = await app.owner.query(
      `SELECT (SELECT count(*) FROM player_events WHERE tenant_id = $1)::int
          + (SELECT count(*) FROM login_ledger WHERE tenant_id = $1)::int AS stored`,
      [payer.tenantId],
    );
    assert.equal(rows[0].stored, limit, 'the billed units equal the stored rows');
  });

  test('refuses reads too, on every process', async () => {
    const payer = await arrangePayer({ monthlyUnits: 5, hardStop: true });
    const ada = await arrangePlayer(app, payer, 'ada');
    const look = (http = app.http) => read(payer, ada.playerId, http);
    for (let number = 0; number < 4; number++) assert.equal((await look()).status, 200);
    assertStopped(await look(), 5, 5);
    await eventually(async () => (await look(other.http)).status === 429);
    await eventually(async () => (await payer.quota()).used >= 5);
    assert.equal((await logIn(payer, 'ada')).status, 429, 'reads use up the units of writes');
    const query = { apiKey: payer.apiKey };
    const download = await app.http.get(
      `/api/bus_tenants/${payer.tenantId}/events/export?scope=player&format=csv`,
      query,
    );
    assert.equal(download.status, 429);
    assert.equal(download.body.code, 'quota_exceeded');
    assert.equal(download.headers.get('content-disposition'), null);
  });

  test('applies the plan of the subscriber to its reads', async () => {
    const publisher = await arrangePayer({ monthlyUnits: 1, hardStop: true });
    const subscriber = await arrangePayer({ monthlyUnits: 2, hardStop: true });
    const ada = await arrangePlayer(app, publisher, 'ada');
    await app.owner.query(
      `UPDATE tenant_keys SET subscriber_workspace_id = $1, subscriber_agreement_id = id, subscriber_agreed_by = $3,
       subscriber_agreed_at = now()
     WHERE tenant_id = $2 AND kind = 'api'`,
      [subscriber.workspaceId, publisher.tenantId, platformAdmin.accountId],
    );
    const look = () => app.http.get(`/api/player-profiles/${ada.playerId}`, { apiKey: publisher.apiKey });
    await eventually(async () => (await look()).status === 200);
    await eventually(async () => {
      const answer = await look();
      return answer.status === 429 && answer.body.quota.limit === 2;
    });
    assert.equal((await publisher.quota()).used, 1);
  });

  test('is optional: without it, requests above the limit are admitted', async () => {
    const payer = await arrangePayer({ monthlyUnits: 2, hardStop: false });
    for (let number = 0; number < 4; number++) await arrangePlayer(app, payer, `player-${number}`);
    const { used, limit } = await payer.quota();
    assert.deepEqual([used, limit], [4, 2]);
  });

  test('follows a changed plan at once, and in other processes after their notification', async () => {
    const payer = await arrangePayer({ monthlyUnits: 1, hardStop: true });
    const ada = await arrangePlayer(app, payer, 'ada');
    const look = (http = app.http) => read(payer, ada.playerId, http);
    assertStopped(await logIn(payer, 'ada'), 1, 1);
    assertStopped(await logIn(payer, 'ada', other.http), 1, 1);
    assertStopped(await look(), 1, 1);
    await payer.setPlan({ monthlyUnits: 3 });
    assert.equal((await logIn(payer, 'ada', other.http)).status, 200, 'the database decides about writes');
    assert.equal((await look()).status, 200);
    await eventually(async () => (await payer.quota()).used === 3);
    assertStopped(await logIn(payer, 'ada'), 3, 3);
    await payer.setPlan({ hardStop: false });
    assert.equal((await logIn(payer, 'ada')).status, 200);
    assert.equal((await look()).status, 200);
    await eventually(async () => (await look(other.http)).status === 200);
    await eventually(async () => (await payer.quota()).used >= 6);
    const { used } = await payer.quota();
    await payer.setPlan({ hardStop: true });
    assertStopped(await logIn(payer, 'ada'), 3, used);
    await payer.setPlan({ monthlyUnits: used + 1 });
    assert.equal((await logIn(payer, 'ada')).status, 200);
    assertStopped(await logIn(payer, 'ada'), used + 1, used + 1);
  });

  test('counts every concurrent write when it is switched on', async () => {
    // Large enough that the plan changes long before the units are used up.
    const limit = 400;
    const payer = await arrangePayer({ monthlyUnits: limit, hardStop: false });
    let accepted = 0;
    let stopped = 0;
    const writer = async (number: number): Promise<void> => {
      const { http } = number % 2 === 0 ? app : other;
      for (let turn = 0; turn < 20; turn++) {
        const answer = await logIn(payer, `player-${number}`, http);
        if (answer.status === 200) accepted++;
        else stopped++;
      }
    };
    const writers = Promise.all(Array.from({ length: 24 }, (_, number) => writer(number)));
    await eventually(() => accepted >= 15);
    await payer.setPlan({ hardStop: true });
    assert.ok(accepted < limit - 24, String(accepted));
    await writers;
    assert.equal(accepted, limit);
    assert.equal(stopped, 24 * 20 - limit);
    assert.equal((await payer.quota()).used, limit);
  });

  test('begins each month with zero used units', async () => {
    const payer = await arrangePayer({ monthlyUnits: 2, hardStop: true });
    const { rows } = await app.owner.query(
      `SELECT id FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game'`,
      [payer.tenantId],
    );
    const last = `date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 second'`;
    const place = [payer.workspaceId, payer.tenantId, rows[0].id];
    await app.owner.query(
      `INSERT INTO usage_entries VALUES ($1, $2, $3, (${last}) AT TIME ZONE 'UTC', 1)`,
      place,
    );
    await app.owner.query(`INSERT INTO usage_totals VALUES ($1, (${last})::date, $2, $3, 1, 0, 0)`, place);
    await app.owner.query(`INSERT INTO usage_days VALUES ($1, (${last})::date, 1, 0, 0)`, [
      payer.workspaceId,
    ]);
    await app.owner.query(
      `UPDATE usage_allowances SET period_start = date_trunc('month', ${last}), units_left = 0 WHERE workspace_id = $1`,
      [payer.workspaceId],
    );
    assert.equal((await payer.quota()).used, 0);
    assert.equal((await logIn(payer, 'ada')).status, 200);
    assert.equal((await logIn(payer, 'ada')).status, 200);
    assertStopped(await logIn(payer, 'ada'), 2, 2);
  });
});
