import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { statementChannel } from '../../../../core/statement-channel.ts';
import type { AlteredRow } from '../../../../core/row-hash.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { arrangeMatchOfTwo, type MatchOfTwo } from '../../../../testing/match-of-two.ts';
import { arrangeEventSender } from '../../../../testing/player-events.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { verify } from '../../../../cli/verify.ts';

type Player = MatchOfTwo['players'][number];

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const [ada, bob] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
const events = `/api/bus_tenants/${tenant.tenantId}/events`;
const reader = { apiKey: tenant.apiKey };

const minute = (number: number) => `2026-11-20T10:${String(number).padStart(2, '0')}:00.000000Z`;
const sent = Array.from({ length: 30 }, (_, index) => ({
  playerId: index % 2 ? ada.playerId : bob.playerId,
  eventKey: index % 3 ? 'jump' : 'fall',
  ...(index % 5 === 0 && { eventValue: 'high' }),
  idempotencyKey: `key-${index}`,
  value: index,
  occurredAt: minute(index),
}));
for (const player of [ada, bob]) {
  const own = sent.filter(({ playerId }) => playerId === player.playerId);
  const answer = await app.http.post('/api/game/player-events', { events: own }, player.caller);
  assert.equal(answer.status, 201, answer.text);
}

/** Returns the indexes in `sent` of the events that a query returns, over all pages. */
async function read(query: string, limit = 1000): Promise<number[]> {
  const found: number[] = [];
  let cursor = '';
  for (let page = 0; page < 100; page++) {
    const answer = await app.http.get(`${events}?scope=player&limit=${limit}${query}${cursor}`, reader);
    assert.equal(answer.status, 200, answer.text);
    found.push(...answer.body.items.map((item: { value: number }) => item.value));
    assert.equal(answer.body.hasMore, answer.body.nextCursor !== undefined);
    if (!answer.body.hasMore) return found;
    assert.equal(answer.body.items.length, limit);
    cursor = `&cursor=${answer.body.nextCursor}`;
  }
  throw new Error('More than 100 pages.');
}

const indexesOf = (wanted: (event: (typeof sent)[number], index: number) => boolean) =>
  sent.flatMap((event, index) => (wanted(event, index) ? [index] : [])).toReversed();

describe('GET /api/bus_tenants/:tenantId/events', () => {
  test('returns events newest first with every page size', async () => {
    for (const limit of [1, 7, 29, 30, 31])
      assert.deepEqual(
        await read('', limit),
        indexesOf(() => true),
      );
  });

  test('applies each filter', async () => {
    assert.deepEqual(
      await read(`&playerId=${ada.playerId.toUpperCase()}`, 4),
      indexesOf((event) => event.playerId === ada.playerId),
    );
    assert.deepEqual(
      await read('&eventKey=%20fall', 4),
      indexesOf((event) => event.eventKey === 'fall'),
    );
    assert.deepEqual(
      await read('&eventValue=high'),
      indexesOf((event) => event.eventValue === 'high'),
    );
    assert.deepEqual(
      await read('&eventKey=jump&eventValue=high'),
      indexesOf((event) => event.eventKey === 'jump' && event.eventValue === 'high'),
    );
    assert.deepEqual(
      await read(`&from=${minute(10)}&to=${minute(20)}`),
      indexesOf((_, index) => index >= 10 && index < 20),
    );
    const withOffset = encodeURIComponent('2026-11-20T11:10:00+01:00');
    assert.deepEqual(await read(`&from=${withOffset}&to=${minute(12)}`), [11, 10]);
    assert.deepEqual(await read('&eventKey=never'), []);
  });

  test('returns all fields of an event', async () => {
    const { body } = await app.http.get(`${events}?scope=player&from=${minute(5)}&to=${minute(6)}`, reader);
    const [item] = body.items;
    const { eventRecordId, eventDefinitionId, receivedAt, rowHash, ...rest } = item;
    assert.deepEqual(rest, {
      eventKey: 'jump',
      eventValue: 'high',
      playerId: ada.playerId,
      loginSessionId: null,
      idempotencyKey: 'key-5',
      value: 5,
      occurredAt: '2026-11-20T10:05:00Z',
    });
    assert.match(receivedAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    // Recomputes the hash from its documentation in docs/row-hashes.md.
    const microseconds = `${receivedAt.slice(0, -1).padEnd(20, '.').padEnd(26, '0')}Z`;
    const canonical = JSON.stringify([
      'player_events',
      tenant.tenantId,
      eventRecordId,
      ada.playerId,
      null,
      eventDefinitionId,
      'key-5',
      '5',
      minute(5),
      microseconds,
    ]);
    assert.equal(rowHash, hash('sha256', canonical));
  });

  test('returns 400 for invalid queries', async () => {
    for (const query of [
      '',
      '?scope=both',
      '?scope=player&limit=0',
      '?scope=player&limit=1001',
      '?scope=player&limit=x',
      '?scope=player&from=yesterday',
      '?scope=player&from=2026-11-20T10:00:00',
      '?scope=player&playerId=5',
      '?scope=player&cursor=AAAA',
      ...[
        ['x', 'y'],
        [minute(0), 5],
        [minute(0), 'a\0'],
      ].map((cursor) => `?scope=player&cursor=${Buffer.from(JSON.stringify(cursor)).toString('base64url')}`),
      `?scope=player&matchSessionId=${randomUUID()}`,
    ]) {
      assert.equal((await app.http.get(events + query, reader)).status, 400, query);
    }
    for (const range of [
      'from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00.000000Z',
      'from=2026-11-20T10:00:00.000001Z&to=2026-11-20T10:00:00Z',
      'from=2999-01-01T00:00:00Z',
      'to=1970-01-01T00:00:00Z',
    ]) {
      const { status, body } = await app.http.get(`${events}/summary?scope=player&${range}`, reader);
      assert.deepEqual([status, body.errors?.[0].path], [400, 'from'], range);
    }
    const tooWide = '/summary?scope=player&bucket=minute&from=2020-01-01T00:00:00Z';
    assert.equal((await app.http.get(events + tooWide, reader)).status, 400);
  });

  test('pages past the longest idempotency key', async () => {
    const occurredAt = '2024-01-01T00:00:00Z';
    const own = ['\u0001', '\u0002'].map((character, value) => ({
      playerId: ada.playerId,
      eventKey: 'jump',
      idempotencyKey: character.repeat(64),
      value,
      occurredAt,
    }));
    assert.equal((await app.http.post('/api/game/player-events', { events: own }, ada.caller)).status, 201);
    assert.deepEqual(await read('&from=2024-01-01T00:00:00Z&to=2024-01-02T00:00:00Z', 1), [1, 0]);
    await app.owner.query('DELETE FROM player_events WHERE occurred_at = $1', [occurredAt]);
  });

  test('accepts a cursor with any time offset', async () => {
    const cursor = Buffer.from(JSON.stringify(['2026-11-21T09:02:00+23:00', ''])).toString('base64url');
    assert.deepEqual(await read(`&cursor=${cursor}`), [1, 0]);
  });
});

describe('the match events of a tenant', () => {
  test('name their match, match player and player, and are filtered by match and player', async () => {
    const scene = await arrangeMatchOfTwo(app);
    const [cleo, dan] = scene.players as [Player, Player];
    const other = await app.http.post(
      '/api/game/matches',
      { players: [{ playerId: cleo.playerId }] },
      { gameKey: scene.gameKey },
    );
    assert.equal(other.status, 201, other.text);
    const actorOf = ({ playerId }: Player) => ({
      matchSessionId: scene.matchSessionId,
      matchPlayerId: scene.matchPlayerOf.get(playerId)!,
      playerId,
    });
    const alone = { matchSessionId: other.body.matchSessionId, ...other.body.players[0] };
    const actors = [actorOf(cleo), actorOf(dan), alone];
    const loginSessions = [cleo.sessionId, null, null];
    for (const [index, { playerId, ...actor }] of actors.entries()) {
      const event = {
        ...actor,
        loginSessionId: loginSessions[index],
        eventKey: 'shot',
        idempotencyKey: `shot-${index}`,
        value: index,
        occurredAt: minute(index),
      };
      const { caller } = playerId === dan.playerId ? dan : cleo;
      const answer = await app.http.post('/api/game/events', { events: [event] }, caller);
      assert.equal(answer.status, 201, answer.text);
    }

    const path = `/api/bus_tenants/${scene.tenantId}/events`;
    const list = async (query = '') => {
      const answer = await app.http.get(`${path}?scope=match${query}`, { apiKey: scene.apiKey });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.items as Record<string, unknown>[];
    };
    const items = await list();
    assert.deepEqual(
      items.map(({ value, matchSessionId, matchPlayerId, playerId, loginSessionId }) => [
        value,
        { matchSessionId, matchPlayerId, playerId },
        loginSessionId,
      ]),
      [2, 1, 0].map((index) => [index, actors[index], loginSessions[index]]),
    );
    const [, , first] = items as [object, object, Record<'receivedAt', string> & Record<string, unknown>];
    const canonical = JSON.stringify([
      'match_events',
      scene.tenantId,
      first['eventRecordId'],
      first['matchPlayerId'],
      first['matchSessionId'],
      cleo.sessionId,
      first['eventDefinitionId'],
      'shot-0',
      '0',
      minute(0),
      `${first.receivedAt.slice(0, -1).padEnd(20, '.').padEnd(26, '0')}Z`,
    ]);
    assert.equal(first['rowHash'], hash('sha256', canonical));

    const ofMatch = `&matchSessionId=${scene.matchSessionId}`;
    for (const [query, indexes] of [
      [`&playerId=${cleo.playerId}`, [2, 0]],
      [ofMatch, [1, 0]],
      [`${ofMatch}&playerId=${cleo.playerId}`, [0]],
      [`&matchSessionId=${alone.matchSessionId}&playerId=${dan.playerId}`, []],
      [`&playerId=${ada.playerId}`, []],
    ] as const)
      assert.deepEqual(
        (await list(query)).map(({ value }) => value),
        indexes,
        query,
      );
    const csv = await app.http.get(`${path}/export?scope=match&format=csv`, { apiKey: scene.apiKey });
    assert.deepEqual(
      csv.text.split('\n').map((line) => line.split(',').slice(4, 7)),
      [
        ['matchSessionId', 'matchPlayerId', 'playerId'],
        ...actors.map(({ matchSessionId, matchPlayerId, playerId }) => [
          matchSessionId,
          matchPlayerId,
          playerId,
        ]),
        [],
      ],
    );
  });
});

describe('GET /api/bus_tenants/:tenantId/events/export', () => {
  test('streams every event, oldest first, as NDJSON and CSV', async () => {
    const lines = await app.http.get(`${events}/export?scope=player`, reader);
    assert.match(lines.headers.get('content-type') ?? '', /x-ndjson/);
    const items = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { value: number });
    assert.deepEqual(
      items.map((item) => item.value),
      sent.map((_, index) => index),
    );

    const csv = await app.http.get(`${events}/export?scope=player&format=csv&eventKey=fall`, reader);
    const [header, ...rows] = csv.text.trimEnd().split('\n');
    assert.equal(
      header,
      'eventRecordId,eventDefinitionId,eventKey,eventValue,playerId,loginSessionId,idempotencyKey,value,occurredAt,receivedAt,rowHash',
    );
    assert.equal(rows.length, 10);
    for (const invalid of ['scope=match&from=x', `scope=player&matchSessionId=${randomUUID()}`])
      assert.equal((await app.http.get(`${events}/export?${invalid}`, reader)).status, 400, invalid);
  });

  test('escapes formulas in CSV cells and keeps numbers', async () => {
    const event = {
      playerId: ada.playerId,
      eventKey: '=1+1',
      idempotencyKey: '@SUM(A1)',
      value: -5,
      occurredAt: '2026-11-21T00:00:00Z',
    };
    await app.http.post('/api/game/player-events', [event], ada.caller);
    const { text } = await app.http.get(
      `${events}/export?scope=player&format=csv&from=2026-11-21T00:00:00Z`,
      reader,
    );
    const cells = text.trimEnd().split('\n')[1]?.split(',') ?? [];
    assert.deepEqual([cells[2], cells[6], cells[7]], ["'=1+1", "'@SUM(A1)", '-5']);
    // A reader removes one apostrophe, so the names stay different.
    const named = ['-x', "'-x"].map((idempotencyKey) => ({ ...event, idempotencyKey }));
    await app.http.post('/api/game/player-events', named, ada.caller);
    const both = await app.http.get(
      `${events}/export?scope=player&format=csv&from=2026-11-21T00:00:00Z`,
      reader,
    );
    assert.deepEqual(both.text.match(/,'+-x,/g)?.toSorted(), [",''-x,", ",'-x,"]);
  });

  test('exports more rows than one chunk once each', async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => ({
      playerId: ada.playerId,
      eventKey: 'bulk',
      idempotencyKey: `bulk-${index}`,
      occurredAt: '2026-11-22T00:00:00Z',
    }));
    await app.http.post('/api/game/player-events', many, ada.caller);
    const { text } = await app.http.get(`${events}/export?scope=player&eventKey=bulk`, reader);
    assert.equal(
      new Set(
        text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { idempotencyKey: string }).idempotencyKey),
      ).size,
      5_001,
    );
  });

  test('reads the events of one player 5,000 at a time', async () => {
    const { playerId, caller } = await arrangePlayer(app, tenant);
    const many = Array.from({ length: 5_001 }, (_, index) => ({
      playerId,
      eventKey: 'bulk',
      idempotencyKey: `of-player-${index}`,
      occurredAt: '2026-11-22T00:00:00Z',
    }));
    await app.http.post('/api/game/player-events', many, caller);
    let reads = 0;
    const countReads = (statement: unknown): void => {
      if ((statement as { text: string }).text.includes('WITH event AS MATERIALIZED')) reads++;
    };
    statementChannel.start.subscribe(countReads);
    const { text } = await app.http.get(`${events}/export?scope=player&playerId=${playerId}`, reader);
    statementChannel.start.unsubscribe(countReads);
    assert.equal(text.trimEnd().split('\n').length, 5_001);
    assert.equal(reads, 2);
  });
});

describe('GET /api/bus_tenants/:tenantId/events with a filter that few events match', () => {
  test('reads twice as many minutes after each that has none of them', async () => {
    const { tenant: sparse, send, some } = await arrangeEventSender(app);
    await send(some(1));
    // The roll-ups count the events of all players. These have no others, so none is found in their minutes.
    await app.owner.query(
      `INSERT INTO event_rollup_deltas (tenant_id, scope, starts_at, definition_id, events, value_count)
       SELECT tenant_id, 'player', '2026-11-21T00:00:00Z'::timestamptz + number * interval '1 minute', id, 1, 0
       FROM event_definitions, generate_series(1, 1000) number WHERE tenant_id = $1`,
      [sparse.tenantId],
    );
    let reads = 0;
    const countReads = (statement: unknown): void => {
      if ((statement as { text: string }).text.includes('WITH event AS MATERIALIZED')) reads++;
    };
    statementChannel.start.subscribe(countReads);
    const { body } = await app.http.get(
      `/api/bus_tenants/${sparse.tenantId}/events?scope=player&eventKey=jump&limit=1`,
      { apiKey: sparse.apiKey },
    );
    statementChannel.start.unsubscribe(countReads);
    assert.deepEqual([body.items.length, body.hasMore], [1, true]);
    assert.ok(reads <= 12, `${reads} reads`);
  });
});

describe('GET /api/bus_tenants/:tenantId/events/summary', () => {
  test('counts events by definition and bucket', async () => {
    const { body } = await app.http.get(
      `${events}/summary?scope=player&bucket=hour&from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z`,
      reader,
    );
    const counts = Object.fromEntries(
      body.items.map((item: Record<string, unknown>) => [
        `${item['bucketStart']} ${item['eventKey']} ${item['eventValue']}`,
        item['count'],
      ]),
    );
    assert.deepEqual(counts, {
      '2026-11-20T10:00:00Z jump null': 16,
      '2026-11-20T10:00:00Z jump high': 4,
      '2026-11-20T10:00:00Z fall null': 8,
      '2026-11-20T10:00:00Z fall high': 2,
    });
    assert.equal(body.hasMore, false);
    const defaults = await app.http.get(`${events}/summary?scope=match`, reader);
    assert.equal(defaults.status, 200, 'from and to are optional');
    for (const end of [defaults.body.from, defaults.body.to]) assert.match(end, /\.\d{6}Z$/);
  });

  test('begins with a whole bucket, the first of 48, if from is not given', async () => {
    for (const [bucket, to, from] of [
      ['hour', '2026-11-20T10:30:00.000001Z', '2026-11-18T11:00:00.000000Z'],
      ['hour', '2026-11-20T10:00:00.000000Z', '2026-11-18T10:00:00.000000Z'],
      ['minute', '2026-11-20T10:30:59.999999Z', '2026-11-20T09:43:00.000000Z'],
      ['day', '2026-11-20T10:30:00.000000Z', '2026-10-04T00:00:00.000000Z'],
      ['day', '1970-01-03T10:30:00.000000Z', '1970-01-01T00:00:00.000000Z'],
    ]) {
      const { body } = await app.http.get(`${events}/summary?scope=player&bucket=${bucket}&to=${to}`, reader);
      assert.deepEqual([body.from, body.to], [from, to]);
    }
    const { body } = await app.http.get(`${events}/summary?scope=player&from=2026-11-20T09:30:00Z`, reader);
    assert.equal(body.from, '2026-11-20T09:30:00.000000Z');
  });

  const summary = `${events}/summary?scope=player&from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z`;
  const bucketStart = '2026-11-20T10:00:00Z';

  test('counts events by key, or all events, in each bucket', async () => {
    const byKey = await app.http.get(`${summary}&groupBy=eventKey`, reader);
    assert.deepEqual(byKey.body.items, [
      { bucketStart, eventKey: 'jump', count: 20 },
      { bucketStart, eventKey: 'fall', count: 10 },
    ]);
    const byTime = await app.http.get(`${summary}&groupBy=time`, reader);
    assert.deepEqual(byTime.body.items, [{ bucketStart, count: 30 }]);
    const ofPlayer = await app.http.get(`${summary}&groupBy=time&playerId=${ada.playerId}`, reader);
    assert.deepEqual(ofPlayer.body.items, [{ bucketStart, count: 15 }]);
  });

  test('returns the groups with the most events in the range', async () => {
    const topKey = await app.http.get(`${summary}&bucket=minute&groupBy=eventKey&top=1`, reader);
    assert.deepEqual(
      topKey.body.items,
      sent
        .filter(({ eventKey }) => eventKey === 'jump')
        .map(({ eventKey, occurredAt }) => ({
          bucketStart: occurredAt.replace('.000000', ''),
          eventKey,
          count: 1,
        })),
    );
    const topDefinitions = await app.http.get(`${summary}&top=3`, reader);
    const rows = topDefinitions.body.items as { eventKey: string; eventValue: string; count: number }[];
    assert.deepEqual(
      rows.map(({ eventKey, eventValue, count }) => [eventKey, eventValue, count]),
      [
        ['jump', null, 16],
        ['fall', null, 8],
        ['jump', 'high', 4],
      ],
    );
    for (const query of ['top=0', 'top=101', 'top=a', 'groupBy=playerId']) {
      const answer = await app.http.get(`${summary}&${query}`, reader);
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.code, 'invalid_request', query);
    }
  });

  test('leaves out whole buckets if there are more than 20,000 rows', async () => {
    const big = await arrangeTenant(app);
    await app.owner.query(
      `WITH definition AS (
         INSERT INTO event_definitions (tenant_id, id, event_key, event_scope)
         SELECT $1, gen_random_uuid(), 'key_' || number, 'player' FROM generate_series(1, 21) number RETURNING id)
       INSERT INTO event_rollup_deltas (tenant_id, scope, starts_at, definition_id, events, value_count)
       SELECT $1, 'player', '2026-11-20T00:00:00Z'::timestamptz + number * interval '1 minute', id, 2, 0
       FROM definition, generate_series(0, 999) number`,
      [big.tenantId],
    );
    const path = `/api/bus_tenants/${big.tenantId}/events/summary?scope=player&bucket=minute&from=2026-11-20T00:00:00Z&to=2026-11-20T18:00:00Z`;
    const all = await app.http.get(path, { apiKey: big.apiKey });
    const whole = Math.floor(20_000 / 21) * 21;
    assert.deepEqual([all.status, all.body.items.length, all.body.hasMore], [200, whole, true]);
    const top = await app.http.get(`${path}&top=20`, { apiKey: big.apiKey });
    assert.deepEqual([top.body.items.length, top.body.hasMore], [20_000, false]);
    const byTime = await app.http.get(`${path}&groupBy=time`, { apiKey: big.apiKey });
    assert.deepEqual(
      byTime.body.items.map(({ count }: { count: number }) => count),
      Array.from({ length: 1_000 }, () => 42),
    );
  });
});

describe('event reading endpoints', () => {
  test('allow members and API keys with allowDataApi only', async () => {
    const other = await arrangeTenant(app);
    const paths = [
      `${events}?scope=player`,
      `${events}/export?scope=player`,
      `${events}/summary?scope=player`,
    ];
    const [viewer, stranger] = [
      await arrangeAccount(app, tenant, 'viewer'),
      await arrangeAccount(app, tenant),
    ];
    for (const path of paths) {
      assert.equal((await app.http.get(path, viewer)).status, 200);
      assert.equal((await app.http.get(path, stranger)).status, 404);
      assert.equal(
        (await app.http.get(path, { apiKey: other.apiKey })).status,
        404,
        'a key of another tenant',
      );
      assert.equal(
        (await app.http.get(path, { apiKey: tenant.gameKey })).status,
        401,
        'a game key is not an API key',
      );
      assert.equal((await app.http.get(path, { gameKey: tenant.gameKey })).status, 401);
      assert.equal(
        (await app.http.get(path, { bearer: ada.accessToken })).status,
        401,
        'a player is not a member',
      );
      assert.equal((await app.http.get(path)).status, 401);
    }
    await app.owner.query(
      `UPDATE tenant_keys SET allow_data_api = false WHERE tenant_id = $1 AND kind = 'api'`,
      [other.tenantId],
    );
    // The server sees this direct change through the change feed.
    await eventually(async () => {
      const path = `/api/bus_tenants/${other.tenantId}/events?scope=player`;
      const { status, body } = await app.http.get(path, { apiKey: other.apiKey });
      return status === 403 && body.code === 'data_api_not_allowed';
    });
  });

  test('return 503 when the query is cancelled', async () => {
    const blocker = await app.owner.connect();
    await blocker.query('BEGIN; LOCK TABLE player_events');
    const answer = app.http.get(`${events}?scope=player`, reader);
    let cancelled = 0;
    while (cancelled === 0) {
      const { rowCount } = await app.owner.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      cancelled = rowCount ?? 0;
    }
    await blocker.query('ROLLBACK');
    blocker.release();
    const { status, body, headers } = await answer;
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'query_timeout', '5']);
  });
});

describe('verify', () => {
  test('reports each altered row and no other', async () => {
    const found = async () => {
      const altered: string[] = [];
      let verified = 0;
      const report = ({ table, id }: AlteredRow) => altered.push(`${table} ${id}`);
      const onRows = (rows: number) => (verified += rows);
      await verify(app.databaseUrl, { tenantId: tenant.tenantId }, report, { onRows });
      assert.ok(verified > 5_000);
      return altered.toSorted();
    };
    assert.deepEqual(await found(), []);
    const alter = async (table: string, change: string, where: string) => {
      const { rows } = await app.owner.query(`UPDATE ${table} SET ${change} WHERE ${where} RETURNING id`);
      assert.equal(rows.length, 1);
      return `${table} ${rows[0].id}`;
    };
    const altered = [
      await alter('player_events', 'value = value + 1', `idempotency_key = 'key-3'`),
      await alter(
        'player_events',
        `occurred_at = occurred_at + interval '1 microsecond'`,
        `idempotency_key = 'key-4'`,
      ),
      await alter('player_events', `row_hash = '\\x00'`, `idempotency_key = 'key-7'`),
      await alter('player_events', `value = NULL`, `idempotency_key = 'key-8'`),
      await alter('login_ledger', `platform = 'PC_Mac'`, `player_id = '${bob.playerId}'`),
    ];
    assert.deepEqual(await found(), altered.toSorted());
  });
});
