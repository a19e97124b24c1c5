import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { PoolClient } from 'pg';
import { openDatabase } from '../../../database/database.ts';
import {
  arrangeAccount,
  arrangePlayer,
  arrangeTenant,
  mockClient,
  type TestTenant,
} from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { rollUpSessions } from './index.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());
const rollUp = () => rollUpSessions(database);

const analytics = (tenant: TestTenant, range: Record<string, string> = {}, caller?: Caller) =>
  app.http.get(
    `/api/bus_tenants/${tenant.tenantId}/sessions/analytics?${new URLSearchParams(range)}`,
    caller ?? { apiKey: tenant.apiKey },
  );

const HOUR = 3_600_000;
const hoursBefore = (time: number, hours: number) => new Date(time - hours * HOUR).toISOString();
const hoursAgo = (hours: number) => hoursBefore(Date.now(), hours);

interface PastLogin {
  at: string;
  playerId?: string;
  platform?: string;
  provider?: string;
}

/** Inserts logins with a given time into the ledger. */
async function addLogins(
  tenant: TestTenant,
  logins: PastLogin[],
  client: Pick<PoolClient, 'query'> = app.owner,
) {
  await client.query(
    `INSERT INTO login_ledger (tenant_id, id, session_id, player_id, auth_provider, platform, occurred_at, created_at_gl,
                               received_at_db, personal_data, row_hash)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), player_id, provider, platform, at, at, at, '', ''
     FROM unnest($2::timestamptz[], $3::uuid[], $4::text[], $5::text[]) AS login (at, player_id, platform, provider)`,
    [
      tenant.tenantId,
      logins.map(({ at }) => at),
      logins.map(({ playerId }) => playerId ?? randomUUID()),
      logins.map(({ platform }) => platform ?? 'PC_Linux'),
      logins.map(({ provider }) => provider ?? 'mock'),
    ],
  );
}

async function addLogouts(tenant: TestTenant, times: string[]) {
  await app.owner.query(
    `INSERT INTO logout_ledger (tenant_id, id, session_id, player_id, reason, occurred_at, created_at_gl, received_at_db)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'kicked', at, at, at FROM unnest($2::timestamptz[]) at`,
    [tenant.tenantId, times],
  );
}

/** Computes the expected analytics from the ledger rows. */
async function countLedgerRows(tenant: TestTenant, from: string, to: string) {
  const ledger = (name: string, columns: string) =>
    app.owner.query(
      `SELECT ${columns} FROM ${name} WHERE tenant_id = $1 AND received_at_db >= $2 AND received_at_db < $3`,
      [tenant.tenantId, from, to],
    );
  const [logins, logouts] = [
    (await ledger('login_ledger', 'platform, auth_provider, player_id')).rows,
    (await ledger('logout_ledger', '')).rowCount,
  ];
  const count = (column: string) => {
    const groups = Map.groupBy(logins, (row) => row[column] as string);
    return Object.fromEntries([...groups].map(([value, rows]) => [value, rows.length]));
  };
  return {
    totalLogins: logins.length,
    totalLogouts: logouts,
    uniquePlatforms: Object.keys(count('platform')).length,
    uniquePlayers: Object.keys(count('player_id')).length,
    loginsByPlatform: count('platform'),
    loginsByProvider: count('auth_provider'),
  };
}

async function assertMatchesLedger(tenant: TestTenant, from: string, to: string) {
  const { status, body, text } = await analytics(tenant, { from, to });
  assert.equal(status, 200, text);
  const { from: _, to: __, ...counts } = body;
  assert.deepEqual(counts, await countLedgerRows(tenant, from, to), `${from} to ${to}`);
}

describe('GET /api/bus_tenants/:tenantId/sessions/analytics', () => {
  test('counts logins, logouts, players, platforms and providers of the tenant only', async () => {
    const [tenant, other] = [await arrangeTenant(app), await arrangeTenant(app)];
    const { logIn } = mockClient(app, tenant);
    const on = (platform: string) => ({ clientInfo: { platform } });
    await logIn('ada', tenant, on('PC_Linux'));
    await logIn('ada', tenant, on('ConsoleB5'));
    const { body: bob } = await logIn('bob', tenant, on('PC_Linux'));
    await logIn('eve', other, on('PC_Mac'));
    await app.http.post('/api/player-auth/logout', { sessionId: bob.sessionId }, { gameKey: tenant.gameKey });
    const before = Date.now();
    const { status, body } = await analytics(tenant);
    assert.equal(status, 200);
    const { from, to, ...counts } = body;
    assert.equal(Date.parse(to) - Date.parse(from), 30 * 24 * HOUR);
    assert.ok(before <= Date.parse(to) && Date.parse(to) <= Date.now(), to);
    assert.deepEqual(counts, {
      totalLogins: 3,
      totalLogouts: 1,
      uniquePlatforms: 2,
      uniquePlayers: 2,
      loginsByPlatform: { ConsoleB5: 1, PC_Linux: 2 },
      loginsByProvider: { mock: 3 },
    });
    assert.equal((await analytics(await arrangeTenant(app))).body.totalLogins, 0);
  });

  test('treats the range as half-open and accepts any time offset', async () => {
    const tenant = await arrangeTenant(app);
    await addLogins(
      tenant,
      ['2026-03-01T09:59:59.999999Z', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000001Z'].map((at) => ({
        at,
      })),
    );
    const count = async (from: string, to: string) =>
      (await analytics(tenant, { from, to })).body.totalLogins;
    for (const rolledUp of [false, true]) {
      if (rolledUp) await rollUp();
      assert.equal(await count('2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'), 2);
      assert.equal(await count('2026-03-01T10:00:00.000001Z', '2026-03-01T11:00:00Z'), 1);
      assert.equal(await count('2026-03-01T09:00:00Z', '2026-03-01T10:00:00Z'), 1);
      assert.equal(await count('2026-03-02T09:59:00+23:59', '2026-03-02T09:59:00.000001+23:59'), 1);
      assert.equal(await count('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'), 3);
    }
  });

  test('returns 400 for an invalid or empty range', async () => {
    const tenant = await arrangeTenant(app);
    for (const range of [
      { from: '2026-03-01T10:00:00Z', to: '2026-03-01T10:00:00Z' },
      { from: '2026-03-02T10:00:00Z', to: '2026-03-01T10:00:00Z' },
      { from: '2026-03-01T10:00:00Z', to: '2026-03-01T12:00:00+05:00' },
      { from: new Date(Date.now() + HOUR).toISOString() },
      { from: '2026-03-01' },
      { from: '2026-03-01T10:00:00' },
      { to: 'now' },
      { to: '2026-02-30T10:00:00Z' },
    ] as Record<string, string>[]) {
      const { status, body } = await analytics(tenant, range);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(range));
    }
    const { body } = await analytics(tenant, { to: '2026-03-01T10:00:00Z' });
    assert.equal(Date.parse(body.to) - Date.parse(body.from), 30 * 24 * HOUR);
  });

  test('allows members and API keys with allowDataApi only', async () => {
    const tenant = await arrangeTenant(app);
    const player = await arrangePlayer(app, tenant);
    const mute = await arrangeTenant(app);
    await app.owner.query('UPDATE tenant_keys SET allow_data_api = false WHERE tenant_id = $1', [
      mute.tenantId,
    ]);
    const stranger = await arrangeTenant(app);
    const refused = await analytics(mute);
    assert.deepEqual([refused.status, refused.body.code], [403, 'data_api_not_allowed']);
    for (const [caller, status] of [
      [await arrangeAccount(app, tenant, 'viewer'), 200],
      [await arrangeAccount(app, tenant, 'owner'), 200],
      [await arrangeAccount(app, tenant), 404],
      [await arrangeAccount(app, stranger, 'owner'), 404],
      [{ apiKey: stranger.apiKey }, 404],
      [{ gameKey: tenant.gameKey }, 401],
      [player.caller, 401],
      [{ bearer: player.accessToken }, 401],
      [{ apiKey: tenant.gameKey }, 401],
      [{}, 401],
    ] as const)
      assert.equal((await analytics(tenant, {}, caller)).status, status);
    for (const id of [randomUUID(), 'nonsense'])
      assert.equal((await analytics({ ...tenant, tenantId: id })).status, 404);
  });
});

describe('rollUpSessions', () => {
  test('keeps every range equal to the ledger before, between and after roll-ups', async () => {
    const [tenant, other] = [await arrangeTenant(app), await arrangeTenant(app)];
    const players = Array.from({ length: 60 }, () => randomUUID());
    const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(Math.random() * list.length)]!;
    const wave = (from: number, to: number, count: number) =>
      Array.from({ length: count }, () => ({
        at: hoursAgo(to + Math.random() * (from - to)),
        playerId: pick(players),
        platform: pick(['PC_Linux', 'PC_Mac', 'ConsoleB5'] as const),
        provider: pick(['mock', 'store_a'] as const),
      }));
    const day = 24;
    const check = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        const ends = [Math.random() * 100 * day, Math.random() * 100 * day].toSorted((a, b) => b - a);
        const cut = pick([24, 19, 16, 13, 10, 7]);
        const [from, to] = ends.map(
          (end) => hoursAgo(end).slice(0, cut) + '2000-01-01T00:00:00.000Z'.slice(cut),
        );
        if (from! < to!) await assertMatchesLedger(tenant, from!, to!);
      }
      await assertMatchesLedger(tenant, hoursAgo(101 * day), hoursAgo(-1));
    };
    await addLogins(tenant, wave(100 * day, 40 * day, 800));
    await addLogins(other, wave(100 * day, 0, 100));
    await addLogouts(
      tenant,
      wave(100 * day, 40 * day, 200).map(({ at }) => at),
    );
    await check(5);
    await rollUp();
    await check(25);
    const { rows: rolledUp } = await app.owner.query(
      'SELECT rolled_up_to FROM session_rollups WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    const age = (Date.now() - Date.parse(rolledUp[0].rolled_up_to)) / HOUR;
    assert.ok(age < 40 * day + 25, `rolled up to ${age} hours ago`);
    await addLogouts(tenant, [hoursAgo(39 * day - 1)]);
    await addLogins(tenant, wave(38 * day, 0, 600));
    await check(10);
    await rollUp();
    await rollUp();
    await check(40);
  });

  test('counts players once across pages of 4,096', async () => {
    const tenant = await arrangeTenant(app);
    const players = Array.from({ length: 4_100 }, () => randomUUID());
    const logins = (hours: number, some: string[]) =>
      some.map((playerId) => ({ at: hoursAgo(hours), playerId }));
    // On an earlier day than the next logins at any time of day, because rolled-up hours accept no more rows.
    await addLogins(tenant, logins(80, players));
    await rollUp();
    await addLogins(tenant, [...logins(30, players.slice(4_000)), ...logins(3, [randomUUID(), players[0]!])]);
    await rollUp();
    const unique = async (from: number, to: number) =>
      (await analytics(tenant, { from: hoursAgo(from), to: hoursAgo(to) })).body.uniquePlayers;
    assert.deepEqual(
      [await unique(90, 0), await unique(90, 40), await unique(40, 0), await unique(10, 0)],
      [4_101, 4_100, 102, 2],
    );
  });

  test('waits for a login that commits late', async () => {
    const tenant = await arrangeTenant(app);
    await addLogins(tenant, [{ at: hoursAgo(5) }]);
    const late = await app.owner.connect();
    try {
      await late.query('BEGIN');
      await addLogins(tenant, [{ at: hoursAgo(4) }], late);
      const rolling = rollUp();
      await addLogins(tenant, [{ at: hoursAgo(3) }]);
      await assertMatchesLedger(tenant, hoursAgo(10), hoursAgo(0));
      await rolling;
      const rows = await app.owner.query('SELECT FROM session_rollups WHERE tenant_id = $1', [
        tenant.tenantId,
      ]);
      assert.equal(rows.rowCount, 0, 'the roll-up does not pass an open transaction');
      await late.query('COMMIT');
    } finally {
      late.release(true);
    }
    await rollUp();
    await assertMatchesLedger(tenant, hoursAgo(10), hoursAgo(0));
    assert.equal((await analytics(tenant)).body.totalLogins, 3);
  });

  test('loses and duplicates nothing after a crash or with two processes', async () => {
    const tenant = await arrangeTenant(app);
    await addLogins(
      tenant,
      Array.from({ length: 200 }, (_, index) => ({ at: hoursAgo(2 + index * 1.7) })),
    );
    await addLogouts(
      tenant,
      Array.from({ length: 50 }, (_, index) => hoursAgo(2 + index * 5)),
    );
    // The lock stops the roll-up halfway, after the counts of logins.
    const holder = await app.owner.connect();
    await holder.query('BEGIN; LOCK TABLE player_rollups IN SHARE MODE');
    const dying = openDatabase(app.databaseUrl, { poolSize: 1 });
    const death = assert.rejects(rollUpSessions(dying));
    const waiting = async () =>
      (
        await app.owner.query(
          `SELECT pid FROM pg_locks WHERE relation = 'player_rollups'::regclass AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
      ).rows;
    await eventually(async () => (await waiting()).length === 1);
    await app.owner.query('SELECT pg_terminate_backend($1::int)', [(await waiting())[0].pid]);
    await death;
    await dying.close();
    await holder.query('COMMIT');
    holder.release();
    await assertMatchesLedger(tenant, hoursAgo(1000), hoursAgo(0));

    const second = openDatabase(app.databaseUrl, { poolSize: 1 });
    await Promise.all([rollUp(), rollUpSessions(second), rollUp()]);
    await second.close();
    await assertMatchesLedger(tenant, hoursAgo(1000), hoursAgo(0));
    await assertMatchesLedger(tenant, hoursAgo(300.3), hoursAgo(20.2));
  });

  test('keeps the analytics exact while players sign in', async () => {
    const tenant = await arrangeTenant(app);
    const DAYS = 75;
    const now = Date.now();
    // All of these days are written before the players sign in. If an hour ends then, its sign-ins are rolled up too, and rolled-up hours
    // and the hours before them accept no more rows.
    for (let day = DAYS; day > 1; day--) {
      const midnight = hoursBefore(now, day * 24).slice(0, 10);
      const hours = [1, 5, 9].map((hour) => ({
        at: `${midnight}T0${hour}:30:00Z`,
        playerId: randomUUID(),
      }));
      await addLogins(tenant, [...hours, ...hours.slice(1)]);
    }
    let writing = true;
    const writers = Array.from({ length: 6 }, async () => {
      while (writing) await arrangePlayer(app, tenant);
    });
    // Each of the days is a transaction.
    const roller = rollUp();
    let rolling = true;
    roller.finally(() => (rolling = false)).catch(() => {});
    const range = [hoursBefore(now, (DAYS + 5) * 24 + 0.5), hoursBefore(now, -1)] as const;
    let rounds = 0;
    try {
      for (; rolling || rounds <= 10; rounds++) {
        const before = await countLedgerRows(tenant, ...range);
        const { body } = await analytics(tenant, { from: range[0], to: range[1] });
        const afterwards = await countLedgerRows(tenant, ...range);
        for (const name of ['totalLogins', 'uniquePlayers'] as const)
          assert.ok(before[name] <= body[name] && body[name] <= afterwards[name], name);
        for (const parts of [body.loginsByPlatform, body.loginsByProvider] as Record<string, number>[])
          assert.equal(
            Object.values(parts).reduce((sum, part) => sum + part, 0),
            body.totalLogins,
          );
      }
    } finally {
      writing = false;
      await Promise.all([...writers, roller]);
    }
    await assertMatchesLedger(tenant, ...range);
  });
});

describe('GET /api/bus_tenants/{tenantId}/sessions/timeline', () => {
  const timeline = (tenant: TestTenant, query: Record<string, string> = {}) =>
    app.http.get(`/api/bus_tenants/${tenant.tenantId}/sessions/timeline?${new URLSearchParams(query)}`, {
      apiKey: tenant.apiKey,
    });

  test('counts the same before and after the roll-up', async () => {
    const tenant = await arrangeTenant(app);
    const [ada, ben] = [randomUUID(), randomUUID()];
    // All times are from one moment, so that a new hour or day changes none of the buckets.
    const time = Date.now();
    const now = hoursBefore(time, 0);
    await addLogins(tenant, [
      { at: hoursBefore(time, 5), playerId: ada },
      { at: hoursBefore(time, 5), playerId: ada },
      { at: hoursBefore(time, 5), playerId: ben },
      { at: hoursBefore(time, 2), playerId: ben },
      { at: now, playerId: ada },
    ]);
    const range = { from: hoursBefore(time, 6), to: hoursBefore(time, -1) };
    const before = await timeline(tenant, range);
    assert.equal(before.status, 200, before.text);
    const daysBefore = await timeline(tenant, { ...range, bucket: 'day' });
    await rollUp();
    const { body } = await timeline(tenant, range);
    assert.deepEqual(body, before.body);
    // The current day has hours that are rolled up, and an hour that is not. Ada signed in during both.
    assert.deepEqual((await timeline(tenant, { ...range, bucket: 'day' })).body, daysBefore.body);
    await addLogins(tenant, [{ at: now, playerId: randomUUID() }]);
    const { items } = (await timeline(tenant, range)).body;
    const hour = Math.floor(time / HOUR) * HOUR;
    const current = items.find(
      ({ bucketStart }: { bucketStart: string }) => Date.parse(bucketStart) === hour,
    );
    assert.equal(current.uniquePlayers, 2);
    assert.deepEqual(
      body.items
        .filter(({ logins }: { logins: number }) => logins > 0)
        .map(({ logins, uniquePlayers }: { logins: number; uniquePlayers: number }) => [
          logins,
          uniquePlayers,
        ]),
      [
        [3, 2],
        [1, 1],
        [1, 1],
      ],
    );
    const days = (await timeline(tenant, { ...range, bucket: 'day' })).body.items;
    assert.equal(
      days.reduce((sum: number, { logins }: { logins: number }) => sum + logins, 0),
      6,
    );
  });

  test('includes empty buckets, 24 by default', async () => {
    const tenant = await arrangeTenant(app);
    const { body } = await timeline(tenant);
    assert.equal(body.items.length, 24);
    assert.ok(body.items.every(({ logins }: { logins: number }) => logins === 0));
    for (const [to, first, last] of [
      ['2026-03-05T10:00:00Z', '2026-03-04T10', '2026-03-05T09'],
      ['2026-03-05T10:00:00.000001Z', '2026-03-04T11', '2026-03-05T10'],
    ] as const) {
      const { items } = (await timeline(tenant, { to })).body;
      const begins = items.map(({ bucketStart }: { bucketStart: string }) => bucketStart.slice(0, 13));
      assert.deepEqual([begins.length, begins[0], begins.at(-1)], [24, first, last]);
    }
  });

  test('returns 400 for an empty range and for more than 192 buckets', async () => {
    const tenant = await arrangeTenant(app);
    assert.equal((await timeline(tenant, { from: hoursAgo(-3), to: hoursAgo(1) })).status, 400);
    assert.equal((await timeline(tenant, { from: hoursAgo(300) })).status, 400);
    assert.equal((await timeline(tenant, { from: hoursAgo(300), bucket: 'day' })).status, 200);
    assert.equal((await timeline(tenant, { from: hoursAgo(3.1), bucket: 'minute' })).status, 200);
    assert.equal((await timeline(tenant, { from: hoursAgo(3.3), bucket: 'minute' })).status, 400);
    assert.equal((await timeline(tenant, { bucket: 'week' })).status, 400);
  });

  test('counts minutes, even of hours that are rolled up', async () => {
    const tenant = await arrangeTenant(app);
    const [ada, ben] = [randomUUID(), randomUUID()];
    const hour = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
    const at = (minute: number) => new Date(hour + minute * 60_000).toISOString();
    await addLogins(tenant, [
      { at: at(1), playerId: ada },
      { at: at(1), playerId: ada },
      { at: at(1.5), playerId: ben },
      { at: at(59.9), playerId: ben },
      { at: at(61), playerId: ada },
    ]);
    const range = { bucket: 'minute', from: at(1.2), to: at(61.5) };
    const before = await timeline(tenant, range);
    assert.equal(before.status, 200, before.text);
    assert.equal(before.body.items.length, 61);
    assert.deepEqual(
      before.body.items
        .filter(({ logins }: { logins: number }) => logins > 0)
        .map(({ bucketStart, ...counts }: { bucketStart: string }) => ({
          minute: (Date.parse(bucketStart) - hour) / 60_000,
          ...counts,
        })),
      [
        { minute: 1, logins: 3, uniquePlayers: 2 },
        { minute: 59, logins: 1, uniquePlayers: 1 },
        { minute: 61, logins: 1, uniquePlayers: 1 },
      ],
    );
    await rollUp();
    assert.deepEqual((await timeline(tenant, range)).body, before.body);
  });
});
