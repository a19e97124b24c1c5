import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../../database/database.ts';
import { readConfig } from '../../../../runtime/config.ts';
import { scheduledJobs } from '../../../../runtime/scheduled-jobs.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { avoidEndOf } from '../../../../testing/avoid-end-of.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());

interface Group {
  id: string;
  scope: string;
  statusCode: number;
  error: string;
  eventKey: string | null;
  eventValue: string | null;
  eventDefinitionId: string | null;
  count: number;
  firstSeenAt: string;
  lastSeenAt: string;
  lastIdempotencyKey: string | null;
  lastKeyId: string;
}

/** A game with the definition `jump` for player events, and a player. */
async function arrangeGame() {
  const tenant = await arrangeTenant(app);
  const { playerId, caller } = await arrangePlayer(app, tenant);
  await app.owner.query(
    `INSERT INTO event_definitions (tenant_id, id, event_key, event_scope) VALUES ($1, gen_random_uuid(), 'jump', 'player')`,
    [tenant.tenantId],
  );
  let number = 0;
  const event = (fields: object = {}) => ({
    playerId,
    eventKey: 'jump',
    idempotencyKey: `event-${++number}`,
    occurredAt: '2026-11-20T10:00:00Z',
    ...fields,
  });
  const send = async (events: unknown[], { http } = app) => {
    const answer = await http.post('/api/game/player-events', { events }, caller);
    assert.ok([201, 422].includes(answer.status), answer.text);
    return answer.body;
  };
  const path = `/api/bus_tenants/${tenant.tenantId}/rejected-events`;
  const list = async (query = '') => {
    const answer = await app.http.get(`${path}?${query}`, { apiKey: tenant.apiKey });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.items as Group[];
  };
  const count = (groups: Group[]) => groups.reduce((sum, group) => sum + group.count, 0);
  /** Waits until so many events are counted, and returns their groups. */
  const counted = async (events: number) => {
    let groups: Group[] = [];
    await eventually(async () => count((groups = await list())) >= events);
    assert.equal(count(groups), events);
    return groups;
  };
  return { tenant, playerId, caller, event, send, path, list, counted };
}

/** The status, key, value and number of events of each group. */
const summary = (groups: Group[]) =>
  groups
    .map((group) => [group.statusCode, group.eventKey, group.eventValue, group.count])
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

describe('the rejected events of a tenant', { concurrency: true }, () => {
  test('are counted by reason and names, with the last event of each group', async () => {
    const { tenant, event, send, counted } = await arrangeGame();
    const definitionId = randomUUID();
    const before = Date.now();
    const { errors } = await send([
      event(),
      event({ eventKey: 'jmup', eventValue: 'high' }),
      event({ eventKey: ' jmup', eventValue: 'high', idempotencyKey: 'the-last' }),
      event({ eventKey: 'jmup' }),
      event({ eventKey: null, eventDefinitionId: definitionId }),
      event({ value: 0.5, eventValue: 'one' }),
      event({ value: 'x', eventValue: 'another' }),
      event({ playerId: randomUUID(), eventKey: 'fall' }),
    ]);
    const groups = await counted(7);
    assert.deepEqual(summary(groups), [
      [400, 'jump', null, 2],
      [403, 'fall', null, 1],
      [404, null, null, 1],
      [422, 'jmup', 'high', 2],
      [422, 'jmup', null, 1],
    ]);
    assert.deepEqual(
      new Set(groups.map(({ error }) => error)),
      new Set(errors.map(({ error }: Group) => error)),
    );
    const { id, firstSeenAt, lastSeenAt, error, ...typo } = groups.find(
      ({ eventValue }) => eventValue === 'high',
    )!;
    const { rows } = await app.owner.query(
      `SELECT id FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game'`,
      [tenant.tenantId],
    );
    assert.deepEqual(typo, {
      scope: 'player',
      statusCode: 422,
      eventKey: 'jmup',
      eventValue: 'high',
      eventDefinitionId: null,
      count: 2,
      lastIdempotencyKey: 'the-last',
      lastKeyId: rows[0].id,
    });
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(error, /auto-create is off/);
    for (const time of [firstSeenAt, lastSeenAt])
      assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now(), time);
    const unknownId = groups.find(({ statusCode }) => statusCode === 404)!;
    assert.equal(unknownId.eventDefinitionId, definitionId);
  });

  test('are cut to the limits of their names, and keep no malformed text', async () => {
    const { event, send, counted } = await arrangeGame();
    await send([
      event({ eventKey: `${'k'.repeat(32)}😀`, idempotencyKey: 'i'.repeat(4000) }),
      event({ eventKey: 'a\0b', idempotencyKey: '\ud83d' }),
      event({ eventKey: 5, idempotencyKey: { toString: 1 } }),
      null,
      'x',
      [],
    ]);
    const groups = await counted(6);
    const names = groups.map(({ eventKey, lastIdempotencyKey }) => [eventKey, lastIdempotencyKey]);
    assert.deepEqual(
      new Set(names.map((name) => JSON.stringify(name))),
      new Set([
        JSON.stringify(['k'.repeat(32), 'i'.repeat(64)]),
        JSON.stringify(['a\ufffdb', '\ufffd']),
        JSON.stringify([null, null]),
      ]),
    );
  });

  test('include match events', async () => {
    const { caller, counted } = await arrangeGame();
    const missing = { matchSessionId: randomUUID(), matchPlayerId: randomUUID() };
    const event = { ...missing, eventKey: 'move', idempotencyKey: 'a', occurredAt: '2026-11-20T10:00:00Z' };
    const answer = await app.http.post('/api/game/events', { events: [event] }, caller);
    assert.equal(answer.status, 422, answer.text);
    const [group] = await counted(1);
    assert.deepEqual([group!.scope, group!.statusCode, group!.eventKey], ['match', 404, 'move']);
  });

  test('are counted exactly when many batches arrive at two processes', async () => {
    await avoidEndOf('day');
    const { event, send, counted } = await arrangeGame();
    const batches = Array.from({ length: 40 }, (_, batch) =>
      Array.from({ length: 25 }, (_, index) =>
        event({ eventKey: index < 20 ? `typo-${batch % 3}` : 'jump' }),
      ),
    );
    const answers = await Promise.all(
      batches.map((events, index) => send(events, index % 2 === 0 ? app : other)),
    );
    assert.equal(
      answers.reduce((sum, { records }) => sum + records.length, 0),
      200,
    );
    assert.deepEqual(summary(await counted(800)), [
      [422, 'typo-0', null, 280],
      [422, 'typo-1', null, 260],
      [422, 'typo-2', null, 260],
    ]);
  });

  test('do not include events that were stored before their definition was disabled', async () => {
    const { tenant, event, send, counted } = await arrangeGame();
    const stored = event();
    await send([stored]);
    const { rows } = await app.owner.query('SELECT id FROM event_definitions WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    const admin = await arrangeAccount(app, tenant, 'admin');
    const definition = `/api/bus_tenants/${tenant.tenantId}/event-definitions/${rows[0].id}`;
    assert.equal((await app.http.patch(definition, { isActive: false }, admin)).status, 200);
    assert.equal((await send([stored, event()])).duplicateCount, 1);
    assert.deepEqual(summary(await counted(1)), [[409, 'jump', null, 1]]);
  });

  test('need a valid credential of the tenant to be counted', async () => {
    const { tenant, playerId, caller, event, send, counted } = await arrangeGame();
    const elsewhere = await arrangeGame();
    const events = [event({ eventKey: 'stranger' })];
    for (const stranger of [
      {},
      { gameKey: tenant.gameKey },
      { bearer: caller.bearer },
      { gameKey: tenant.gameKey, bearer: elsewhere.caller.bearer },
      { gameKey: elsewhere.tenant.gameKey, bearer: caller.bearer },
      { gameKey: `${tenant.gameKey}x`, bearer: caller.bearer },
    ])
      assert.equal((await app.http.post('/api/game/player-events', { events }, stranger)).status, 401);
    await send([event({ eventKey: playerId.slice(0, 8) })]);
    assert.deepEqual(summary(await counted(1)), [[422, playerId.slice(0, 8), null, 1]]);
    assert.deepEqual(await elsewhere.list(), []);
  });
});

describe('a key that sends random event keys', () => {
  test('fills 100 groups of a day, and all other events are counted by their reason', async () => {
    await avoidEndOf('day');
    const { event, send, list, counted } = await arrangeGame();
    const random = () => event({ eventKey: randomUUID().slice(0, 30) });
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        send(Array.from({ length: 500 }, random), index % 2 === 0 ? app : other),
      ),
    );
    const groups = await counted(3000);
    const named = groups.filter(({ eventKey }) => eventKey !== null);
    assert.equal(named.length, 100);
    assert.equal(groups.length, 101);
    assert.equal(groups.find(({ eventKey }) => eventKey === null)!.count, 2900);

    // A group that exists is counted under its names. Other reasons have groups of their own, without names.
    await send([event({ eventKey: named[0]!.eventKey }), event({ value: 0.5 }), random()]);
    await counted(3003);
    const later = await list();
    assert.equal(later.find(({ id }) => id === named[0]!.id)!.count, named[0]!.count + 1);
    assert.deepEqual(summary(later.filter(({ eventKey }) => eventKey === null)), [
      [400, null, null, 1],
      [422, null, null, 2901],
    ]);
  });

  test('shares the 100 groups between processes that write at the same time', async () => {
    await avoidEndOf('day');
    const { event, send, counted } = await arrangeGame();
    const random = () => event({ eventKey: randomUUID().slice(0, 30) });
    await whileLocked(
      app,
      async (holder) => void (await holder.query('SELECT pg_advisory_xact_lock(7118068)')),
      async (waiting, release) => {
        for (const process of [app, other]) await send(Array.from({ length: 80 }, random), process);
        await waiting(2);
        await release();
      },
    );
    const groups = await counted(160);
    assert.equal(groups.filter(({ eventKey }) => eventKey !== null).length, 100);
  });
});

describe('GET /api/bus_tenants/:tenantId/rejected-events', () => {
  const insert = (tenantId: string, id: string, at: string, events: number) =>
    app.owner.query(
      `INSERT INTO rejected_events (tenant_id, day, id, scope, status_code, error, event_key, events, first_seen_at, last_seen_at, last_key_id)
       VALUES ($1, $3::timestamptz::date, $2::uuid, 'player', 422, 'unknown', 'typo', $4, $3, $3, gen_random_uuid())`,
      [tenantId, id, at, events],
    );

  test('sorts the groups by the time of their last event, and adds up their days', async () => {
    const { tenant, list } = await arrangeGame();
    const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string];
    await insert(tenant.tenantId, one, '2026-11-20T10:00:00.000Z', 1);
    await insert(tenant.tenantId, one, '2026-11-22T10:00:00.123Z', 2);
    await insert(tenant.tenantId, two, '2026-11-21T10:00:00.000Z', 4);
    await insert(tenant.tenantId, three, '2026-11-21T10:00:00.000Z', 8);
    const [newest] = await list();
    assert.equal(newest!.firstSeenAt, '2026-11-20T10:00:00Z');
    assert.equal(newest!.lastSeenAt, '2026-11-22T10:00:00.123Z');

    const counts = async (query?: string) => (await list(query)).map(({ count }) => count);
    assert.deepEqual(await counts(), [3, 8, 4]);
    assert.deepEqual(await counts('from=2026-11-21T10:00:00Z'), [2, 8, 4]);
    assert.deepEqual(await counts('from=2026-11-21T10:00:00.001Z'), [2]);
    assert.deepEqual(await counts('to=2026-11-21T10:00:00Z'), [1]);
    assert.deepEqual(await counts('from=2026-11-21T00:00:00-23:00&to=2026-11-22T13:00:00%2B02:00'), [2]);
  });

  test('returns all groups at once, also those that are seen again between two requests', async () => {
    const { event, send, list, counted } = await arrangeGame();
    const keys = Array.from({ length: 80 }, (_, index) => `typo-${index}`);
    const sendAll = () => send(keys.map((eventKey) => event({ eventKey })));
    await sendAll();
    assert.equal((await list()).length, 80);
    await sendAll();
    assert.deepEqual(new Set((await counted(160)).map(({ eventKey }) => eventKey)), new Set(keys));
  });

  test('returns the 1,000 last seen groups if more are stored', async () => {
    const { tenant, list } = await arrangeGame();
    await app.owner.query(
      `INSERT INTO rejected_events (tenant_id, day, id, scope, status_code, error, events, first_seen_at, last_seen_at, last_key_id)
       SELECT $1, at::date, gen_random_uuid(), 'player', 422, 'unknown', number, at, at, gen_random_uuid()
       FROM generate_series(1, 1001) number, LATERAL (SELECT '2026-11-20T10:00:00Z'::timestamptz - make_interval(secs => number) AS at) time`,
      [tenant.tenantId],
    );
    assert.deepEqual(
      (await list()).map(({ count }) => count),
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
  });

  test('returns 400 for a malformed range', async () => {
    const { tenant, path } = await arrangeGame();
    for (const query of ['from=yesterday', 'from=2026-11-21T10:00:00Z&to=2026-11-21T10:00:00Z'])
      assert.equal((await app.http.get(`${path}?${query}`, { apiKey: tenant.apiKey })).status, 400, query);
  });

  test('returns 404 for a foreign tenant, as for a missing one', async () => {
    const { tenant, path, event, send, counted } = await arrangeGame();
    await send([event({ eventKey: 'typo' })]);
    await counted(1);
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    assert.equal((await app.http.get(path, viewer)).body.items.length, 1);
    const elsewhere = await arrangeTenant(app);
    const stranger = await arrangeAccount(app, elsewhere, 'owner');
    const missing = `/api/bus_tenants/${randomUUID()}/rejected-events`;
    for (const caller of [stranger, { apiKey: elsewhere.apiKey }]) {
      const [foreign, none] = [await app.http.get(path, caller), await app.http.get(missing, caller)];
      assert.equal(foreign.status, 404);
      assert.equal(none.status, 404);
      assert.equal(foreign.body.detail, none.body.detail);
    }
    assert.equal((await app.http.get(path, { gameKey: tenant.gameKey })).status, 401);
    assert.equal((await app.http.get(path)).status, 401);
  });

  test('keeps the counts of a day for a week', async () => {
    await avoidEndOf('day');
    const { tenant, list } = await arrangeGame();
    for (const daysAgo of [0, 7, 8, 30]) {
      const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
      await insert(tenant.tenantId, randomUUID(), at, daysAgo + 1);
    }
    const job = scheduledJobs(app.owner, database, readConfig({})).find(
      ({ name }) => name === 'delete-expired-rows',
    );
    await job!.run();
    assert.deepEqual(
      (await list()).map(({ count }) => count),
      [1, 8],
    );
  });
});
