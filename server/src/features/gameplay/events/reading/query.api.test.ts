import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../../database/database.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { noArchive } from '../../../../testing/no-archive.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { queryEvents } from './query-events.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const other = await arrangeTenant(app, { autoCreate: true });
const players = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
const foreigner = await arrangePlayer(app, other);
const path = `/api/bus_tenants/${tenant.tenantId}/queries`;
const reader = { apiKey: tenant.apiKey };

interface Sent {
  player: number;
  eventKey: string;
  eventValue?: string;
  value?: number | string;
  occurredAt: string;
}
const at = (day: number, hour: number) =>
  `2026-11-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:30:00.000000Z`;
/** Two players on three days. Each third event has no value. */
const sent: Sent[] = Array.from({ length: 60 }, (_, index) => ({
  player: index % 2,
  eventKey: index % 4 === 0 ? 'fall' : 'jump',
  ...(index % 5 === 0 && { eventValue: 'high' }),
  ...(index % 3 !== 0 && { value: index }),
  occurredAt: at(2 + (index % 3), index % 24),
}));
for (const [index, player] of players.entries()) {
  const events = sent.flatMap(({ player: of, ...event }, number) =>
    of === index ? [{ ...event, playerId: player.playerId, idempotencyKey: `key-${number}` }] : [],
  );
  const answer = await app.http.post('/api/game/player-events', { events }, player.caller);
  assert.equal(answer.status, 201, answer.text);
}
const foreign = { playerId: foreigner.playerId, eventKey: 'jump', value: 999, occurredAt: at(2, 1) };
const stored = await app.http.post(
  '/api/game/player-events',
  { events: [{ ...foreign, idempotencyKey: 'foreign' }] },
  foreigner.caller,
);
assert.equal(stored.status, 201, stored.text);

/** Writes a UTF-16 code unit as an escape of JSON. */
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const range = { scope: 'player', from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
const ask = async (query: object) => {
  const answer = await app.http.post(path, { ...range, ...query }, reader);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as { rows: Record<string, unknown>[]; hasMore: boolean };
};

/** The expected answer of a query, computed in this process. */
function expected(
  events: Sent[],
  keyOf: (event: Sent) => Record<string, unknown>,
): Record<string, unknown>[] {
  const groups = Object.values(Object.groupBy(events, (event) => JSON.stringify(keyOf(event)))) as Sent[][];
  return groups.map((group) => {
    const values = group.flatMap(({ value }) => (value === undefined ? [] : [Number(value)]));
    const sum = values.reduce((total, value) => total + value, 0);
    return {
      ...keyOf(group[0]!),
      events: group.length,
      valueSum: values.length > 0 ? sum : null,
      valueAverage: values.length > 0 ? sum / values.length : null,
      valueMinimum: values.length > 0 ? Math.min(...values) : null,
      valueMaximum: values.length > 0 ? Math.max(...values) : null,
    };
  });
}

const sorted = (rows: Record<string, unknown>[]) =>
  rows
    .map((row) => Object.entries(row).toSorted(([a], [b]) => a.localeCompare(b)))
    .map((entries) =>
      JSON.stringify(
        entries.map(([name, value]) => [
          name,
          name === 'valueAverage' && value !== null ? Number(value).toFixed(9) : value,
        ]),
      ),
    )
    .toSorted();
const assertRows = (actual: Record<string, unknown>[], wanted: Record<string, unknown>[]) =>
  assert.deepEqual(sorted(actual), sorted(wanted));

describe('POST /api/bus_tenants/:tenantId/queries', () => {
  test('sums up all events of the tenant, and of no other', async () => {
    const { rows, hasMore } = await ask({ countPlayers: true });
    assertRows(
      rows,
      expected(sent, () => ({})).map((row) => ({ ...row, players: 2 })),
    );
    assert.equal(hasMore, false);
  });

  test('groups by each member and by time, and sorts by time and number of events', async () => {
    const valueOf = ({ eventValue = null }: { eventValue?: string | null }) => eventValue;
    assertRows(
      (await ask({ groupBy: ['eventKey'] })).rows,
      expected(sent, ({ eventKey }) => ({ eventKey })),
    );
    // Two definitions have the same key. A player who used both counts once.
    assertRows(
      (await ask({ groupBy: ['eventKey'], countPlayers: true })).rows,
      expected(sent, ({ eventKey }) => ({ eventKey })).map((row) => ({
        ...row,
        players: row['eventKey'] === 'fall' ? 1 : 2,
      })),
    );
    assertRows(
      (await ask({ groupBy: ['eventKey', 'eventValue', 'playerId'] })).rows,
      expected(sent, (event) => ({
        eventKey: event.eventKey,
        eventValue: valueOf(event),
        playerId: players[event.player]!.playerId,
      })),
    );
    const { rows } = await ask({ groupBy: ['eventKey'], bucket: 'day' });
    const day = (event: Sent) => `${event.occurredAt.slice(0, 10)}T00:00:00Z`;
    assertRows(
      rows,
      expected(sent, (event) => ({ bucketStart: day(event), eventKey: event.eventKey })),
    );
    const order = rows.map(({ bucketStart, events }) => [bucketStart, -Number(events)] as [string, number]);
    assert.deepEqual(
      order,
      order.toSorted(([a, x], [b, y]) => a.localeCompare(b) || x - y),
    );
  });

  test('finds categories with the text with which they are stored', async () => {
    const admin = await arrangeAccount(app, tenant, 'admin');
    for (const [index, eventCategory] of ['Boss  fights', 'Cafe\u0301'].entries()) {
      const definition = { eventKey: `categorized ${index}`, eventScope: 'player', eventCategory };
      const created = await app.http.post(
        `/api/bus_tenants/${tenant.tenantId}/event-definitions`,
        definition,
        admin,
      );
      assert.equal(created.status, 201, created.text);
      const event = {
        playerId: players[0]!.playerId,
        eventKey: definition.eventKey,
        occurredAt: '2025-11-02T00:00:00Z',
      };
      const events = [{ ...event, idempotencyKey: definition.eventKey }];
      assert.equal(
        (await app.http.post('/api/game/player-events', { events }, players[0]!.caller)).status,
        201,
      );
      const range = { from: '2025-11-01T00:00:00Z', to: '2025-12-01T00:00:00Z' };
      const { rows } = await ask({
        ...range,
        where: { eventCategories: [` ${eventCategory} `] },
        groupBy: ['eventCategory'],
      });
      assert.deepEqual(
        rows.map((row) => [row['eventCategory'], row['events']]),
        [[eventCategory, 1]],
      );
    }
  });

  test('applies each filter', async () => {
    const filters: [object, (event: Sent) => boolean][] = [
      [{ eventKeys: ['fall', ' jump '] }, () => true],
      [{ eventKeys: ['fall'] }, ({ eventKey }) => eventKey === 'fall'],
      [
        { eventKeys: ['jump'], eventValues: ['high'] },
        (event) => event.eventKey === 'jump' && event.eventValue === 'high',
      ],
      [{ playerIds: [players[1]!.playerId] }, ({ player }) => player === 1],
      [{ playerIds: players.map(({ playerId }) => playerId) }, () => true],
      [{ minimumValue: 10, maximumValue: 20 }, ({ value }) => Number(value) >= 10 && Number(value) <= 20],
    ];
    for (const [where, matches] of filters)
      assertRows(
        (await ask({ where })).rows,
        expected(sent.filter(matches), () => ({})),
      );
    const nothing = await ask({ where: { eventCategories: ['unknown'] } });
    assert.deepEqual(
      nothing.rows.map(({ events, valueSum }) => [events, valueSum]),
      [[0, null]],
    );
    assert.deepEqual(
      (await ask({ where: { eventCategories: ['unknown'] }, groupBy: ['eventKey'] })).rows,
      [],
    );
    const short = await ask({ from: at(2, 0), to: at(3, 0) });
    assertRows(
      short.rows,
      expected(
        sent.filter(({ occurredAt }) => occurredAt >= at(2, 0) && occurredAt < at(3, 0)),
        () => ({}),
      ),
    );
  });

  test('answers about matches, by match and by player', async () => {
    const [player] = players;
    const match = await app.http.post(
      '/api/game/matches',
      { players: [{ playerId: player!.playerId }] },
      player!.caller,
    );
    assert.equal(match.status, 201, match.text);
    const { matchSessionId } = match.body;
    const { matchPlayerId } = match.body.players[0];
    const big = '9007199254740993';
    const events = [1, 2, 3].map((number) => ({
      matchSessionId,
      matchPlayerId,
      eventKey: 'coin',
      value: number === 3 ? big : number,
      idempotencyKey: `coin-${number}`,
      occurredAt: at(5, number),
    }));
    const answer = await app.http.post('/api/game/events', { events }, player!.caller);
    assert.equal(answer.status, 201, answer.text);
    const query = { ...range, scope: 'match', groupBy: ['matchSessionId', 'playerId'], countPlayers: true };
    const { status, text, body } = await app.http.post(path, query, reader);
    assert.equal(status, 200, text);
    assert.deepEqual(
      body.rows.map((row: Record<string, unknown>) => [
        row['matchSessionId'],
        row['playerId'],
        row['events'],
        row['players'],
      ]),
      [[matchSessionId, player!.playerId, 3, 1]],
    );
    assert.match(text, /"valueSum":9007199254740996,/, 'with all digits');
    assert.match(text, /"valueMaximum":9007199254740993[,}]/);
    const one = await ask({ scope: 'match', where: { matchSessionId } });
    assert.equal(one.rows[0]!['events'], 3);
    const none = await ask({ scope: 'match', where: { matchSessionId: randomUUID() } });
    assert.equal(none.rows[0]!['events'], 0);
  });

  test('names the member of an empty range and of a range with too many buckets', async () => {
    for (const [query, message] of [
      [{ ...range, to: range.from }, 'must be earlier than to'],
      [
        { ...range, from: '2026-01-01T00:00:00Z', bucket: 'minute' },
        'must be at most 1500 buckets before to',
      ],
    ] as const) {
      const { status, body } = await app.http.post(path, query, reader);
      assert.deepEqual(
        [status, body.code, body.errors],
        [400, 'invalid_request', [{ path: 'from', message }]],
      );
    }
  });

  test('accepts the largest valid lists of alternatives, even as escapes', async () => {
    const knights = Array.from({ length: 50 }, (_, index) => '🐴'.repeat(30) + String(10 + index));
    const where = {
      eventKeys: knights,
      eventValues: knights,
      eventCategories: knights,
      playerIds: knights.map(() => randomUUID()),
    };
    const escaped = JSON.stringify({ ...range, where }).replace(/[^\0-~]/g, escapeUnit);
    const answer = await app.http.raw('POST', path, escaped, reader);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.rows[0].events, 0);
    const tooMany = await app.http.post(path, { ...range, where: { eventKeys: [...knights, 'x'] } }, reader);
    assert.deepEqual(
      [tooMany.status, tooMany.body.errors],
      [400, [{ path: 'where.eventKeys', message: 'must have at most 50 items' }]],
    );
  });

  test('returns at most `limit` rows, and whether there are more', async () => {
    const all = await ask({ groupBy: ['eventKey'], bucket: 'hour', limit: 1000 });
    assert.equal(all.hasMore, false);
    for (const limit of [1, all.rows.length - 1, all.rows.length]) {
      const { rows, hasMore } = await ask({ groupBy: ['eventKey'], bucket: 'hour', limit });
      assert.deepEqual(rows, all.rows.slice(0, limit));
      assert.equal(hasMore, limit < all.rows.length);
    }
  });

  test('refuses members and values that the query language does not have', async () => {
    const refused: object[] = [
      { groupBy: ['eventKey', 'eventValue', 'eventCategory', 'playerId'] },
      { groupBy: ['eventKey', 'eventKey'] },
      { groupBy: ['idempotencyKey'] },
      { groupBy: ["eventKey'; DROP TABLE players; --"] },
      { groupBy: ['matchSessionId'] },
      { where: { matchSessionId: randomUUID() } },
      { where: { sql: '1=1' } },
      { where: { eventKeys: [] } },
      { where: { eventKeys: Array.from({ length: 51 }, String) } },
      { bucket: 'year' },
      { limit: 1001 },
      { limit: 0 },
      { to: '2028-01-01T00:00:00Z' },
      { from: '2026-12-01T00:00:00Z' },
      { bucket: 'minute' },
      { from: 'yesterday' },
      { unknown: true },
    ];
    for (const query of refused) {
      const { status, body } = await app.http.post(path, { ...range, ...query }, reader);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(query));
    }
  });

  test('refuses other tenants, keys without the right, and callers without a credential', async () => {
    const stranger = await arrangeAccount(app, other, 'owner');
    const statusOf = async (caller: object) => (await app.http.post(path, range, caller)).status;
    assert.equal(await statusOf({ apiKey: other.apiKey }), 404);
    assert.equal(await statusOf(stranger), 404);
    assert.equal(await statusOf({}), 401);
    assert.equal(await statusOf({ gameKey: tenant.gameKey }), 401);
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    assert.equal(await statusOf(viewer), 200);
  });
});

describe('a query that takes long', () => {
  /** Statements that wait for the lock. */
  const waiting = async (): Promise<number> => {
    const { rows } = await app.owner.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0].count;
  };
  const whileLocked = async (work: () => Promise<void>): Promise<void> => {
    const client = await app.owner.connect();
    try {
      await client.query('BEGIN; LOCK TABLE player_events IN ACCESS EXCLUSIVE MODE');
      await work();
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };

  test('ends in PostgreSQL when the client disconnects, and the next query is answered', async () => {
    await whileLocked(async () => {
      const leaving = new AbortController();
      const left = fetch(app.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': tenant.apiKey },
        body: JSON.stringify(range),
        signal: leaving.signal,
      });
      await eventually(async () => (await waiting()) === 1);
      leaving.abort();
      await assert.rejects(left);
      await eventually(async () => (await waiting()) === 0);
    });
    assert.equal((await ask({})).rows[0]!['events'], sent.length);
  });

  test('is stopped at the time limit with query_timeout', async () => {
    const database = openDatabase(app.databaseUrl, { poolSize: 1 });
    try {
      await whileLocked(async () => {
        const filter = { scope: 'player' as const, from: range.from, to: range.to };
        const query = { filter, groupBy: [], countPlayers: false, limit: 1 };
        await assert.rejects(
          queryEvents({ database, archive: noArchive }, tenant.tenantId, query, { seconds: 0.2 }),
          (error: { code?: string }) => error.code === 'query_timeout',
        );
      });
    } finally {
      await database.close();
    }
  });
});
