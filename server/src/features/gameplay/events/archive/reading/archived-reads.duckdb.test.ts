import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { advisoryLocks } from '../../../../../database/advisory-locks.ts';
import { openDatabase, type Database } from '../../../../../database/database.ts';
import { firstOfMonth } from '../../../../../database/partitions/partitioned-tables.ts';
import { sql } from '../../../../../database/sql.ts';
import { createExports } from '../../../../../http/exports.ts';
import { createAcquireSlots } from '../../../../../processes/concurrency-slots.ts';
import { arrangeAccount } from '../../../../../testing/arrange.ts';
import { eventually } from '../../../../../testing/eventually.ts';
import { arrangeMatchOfTwo, sendAs, type MatchOfTwo } from '../../../../../testing/match-of-two.ts';
import { noArchive } from '../../../../../testing/no-archive.ts';
import { createOlderPartitions } from '../../../../../testing/older-partitions.ts';
import { startTestApp } from '../../../../../testing/test-app.ts';
import { whileLocked } from '../../../../../testing/while-locked.ts';
import type { EventScope } from '../../event-row.ts';
import { queryEvents } from '../../reading/query-events.ts';
import type { StoredEvent } from '../../reading/queries.ts';
import { BUCKETS } from '../../../../../core/time-range.ts';
import { DIMENSIONS } from '../../reading/query-sql.ts';
import { exportEvents } from '../../reading/export-events.ts';
import { listEvents } from '../../reading/list-events.ts';
import { checkRollups, rebuildRollups } from '../../rollups/repair.ts';
import { archiveEvents } from '../writing/archive-events.ts';
import { createDuckdb, DuckdbTimeoutError, type Duckdb } from '../duckdb/duckdb.ts';

const root = await mkdtemp(join(tmpdir(), 'guildhall-archive-'));
const app = await startTestApp({ env: { ARCHIVE_DIR: root } });
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const duckdb = createDuckdb();
after(async () => {
  await database.close();
  await rm(root, { recursive: true });
});
const today = new Date();
for (const table of ['match_events', 'player_events'] as const)
  await createOlderPartitions(app.owner, table, 2, today);

const month = (later: number): string => `${firstOfMonth(today, later)}T00:00:00.000000Z`;
const archive = () => archiveEvents(app.owner, { root, duckdb }, month(0).slice(0, 10));

/** A tenant with two players in a match, and events of both in two old months and the current one. */
async function arrange() {
  const tenant = await arrangeMatchOfTwo(app);
  const send = async (scope: EventScope, prefix: string, count: number) => {
    for (const [index, player] of tenant.players.entries()) {
      const events = Array.from({ length: count + index }, (_, number) => ({
        eventKey: `${scope} ${['jump', 'fall', 'shot'][number % 3]}`,
        ...(number % 4 === 0 && { eventValue: 'high' }),
        ...(number % 5 !== 0 && { value: number % 2 === 0 ? `922337203685477580${number % 8}` : -number }),
        idempotencyKey: `${prefix}-${index}-${number}`,
        // Half minutes, so that ranges can begin and end within a minute that has events. None is later than 48 hours from now.
        occurredAt: new Date(
          Date.parse(month((number % 3) - 2)) + 86_400_000 + number * 1_530_000,
        ).toISOString(),
      }));
      const answer = await sendAs(app, tenant, scope, player, events);
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.body.errors, []);
    }
  };
  const ask = async (query: object): Promise<string> => {
    const answer = await app.http.post(
      `/api/bus_tenants/${tenant.tenantId}/queries`,
      { from: month(-2), to: month(1), limit: 1000, ...query },
      { apiKey: tenant.apiKey },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  };
  const summarise = async (query: Record<string, string>) => {
    const answer = await app.http.get(
      `/api/bus_tenants/${tenant.tenantId}/events/summary?${new URLSearchParams(query)}`,
      { apiKey: tenant.apiKey },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  };
  return { ...tenant, send, ask, summarise };
}

/** Runs a large read, which begins after a change of partitions. The clock says that it has waited for a minute. */
async function afterLongWait(context: TestContext, read: () => Promise<void>): Promise<void> {
  await whileLocked(
    app,
    (holder) => holder.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.largeReads]),
    async (waiting, release) => {
      const reading = read();
      await waiting(1);
      const now = performance.now.bind(performance);
      context.mock.method(performance, 'now', () => now() + 60_000);
      await release();
      await reading;
    },
  );
}

type Player = MatchOfTwo['players'][number];
type Tenant = Awaited<ReturnType<typeof arrange>>;

const pageOf = (tenant: Tenant, query: object) =>
  app.http.get(`/api/bus_tenants/${tenant.tenantId}/events?${new URLSearchParams({ ...query })}`, {
    apiKey: tenant.apiKey,
  });

/** All pages of a list. */
async function listed(tenant: Tenant, query: object): Promise<StoredEvent[]> {
  const items: StoredEvent[] = [];
  let cursor: string | undefined;
  do {
    const { status, text, body } = await pageOf(tenant, {
      ...query,
      ...(cursor !== undefined && { cursor }),
    });
    assert.equal(status, 200, text);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return items;
}

describe('POST /api/bus_tenants/:tenantId/queries with archived events', () => {
  test('counts the archived events of merged profiles', async () => {
    const tenant = await arrange();
    const [target, source] = tenant.players as [Player, Player];
    for (const scope of ['match', 'player'] as const) await tenant.send(scope, 'merged', 10);
    await archive();
    const merge = {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${source.username}:secret`,
    };
    const bearer = { bearer: target.accessToken };
    const { status, text } = await app.http.post('/api/player-profile/me/merge', merge, bearer);
    assert.equal(status, 200, text);
    for (const scope of ['match', 'player'] as const)
      for (const { playerId } of [target, source]) {
        const { rows } = JSON.parse(await tenant.ask({ scope, where: { playerIds: [playerId] } }));
        assert.equal(rows[0].events, 21, scope);
        assert.equal((await listed(tenant, { scope, playerId, limit: 10 })).length, 21, scope);
      }
  });

  test('returns the same answers as before the events were archived', async () => {
    const [tenant, other] = [await arrange(), await arrange()];
    for (const scope of ['match', 'player'] as const) {
      await tenant.send(scope, 'first', 40);
      await other.send(scope, 'first', 10);
    }
    const playerIds = [tenant.players[1]!.playerId];
    const { matchSessionId } = tenant;
    // Within a minute of the first events.
    const inside = {
      from: new Date(Date.parse(month(-2)) + 86_400_000 + 3 * 1_530_000 - 1).toISOString(),
      to: new Date(Date.parse(month(0)) + 86_400_000 + 20 * 1_530_000 + 1).toISOString(),
    };
    const queries = (['match', 'player'] as const).flatMap((scope) => [
      ...[{}, inside].flatMap((range) => [
        { scope, ...range },
        { scope, ...range, countPlayers: true },
        { scope, ...range, groupBy: ['eventKey', 'eventValue', 'playerId'], bucket: 'week' },
        { scope, ...range, where: { playerIds } },
        {
          scope,
          ...range,
          where: { eventKeys: [`${scope} jump`], minimumValue: -20, maximumValue: 5 },
          groupBy: ['eventKey'],
        },
        { scope, ...range, where: { eventValues: ['high'] }, groupBy: ['eventKey'], bucket: 'day' },
        { scope, ...range, where: { eventCategories: ['none'] }, countPlayers: true },
      ]),
      ...DIMENSIONS.filter((dimension) => scope === 'match' || dimension !== 'matchSessionId').map(
        (dimension) => ({ scope, groupBy: [dimension], countPlayers: true }),
      ),
      ...BUCKETS.map((bucket) => ({
        scope,
        bucket,
        countPlayers: true,
        ...(bucket === 'minute' && {
          from: inside.from,
          to: new Date(Date.parse(inside.from) + 80_000_000).toISOString(),
        }),
        ...(bucket === 'hour' && {
          from: inside.from,
          to: new Date(Date.parse(inside.from) + 5_000_000_000).toISOString(),
        }),
      })),
    ]);
    const matchQueries = [
      { scope: 'match', where: { matchSessionId }, groupBy: ['matchSessionId', 'playerId'] },
    ];
    const summaries = (['match', 'player'] as const).flatMap((scope): Record<string, string>[] => [
      { scope, bucket: 'day', from: month(-2), to: month(0) },
      { scope, bucket: 'day', ...inside },
      { scope, bucket: 'day', ...inside, groupBy: 'eventKey', top: '1' },
      { scope, bucket: 'day', ...inside, groupBy: 'time' },
      { scope, bucket: 'hour', from: inside.from, to: month(-1), playerId: playerIds[0]! },
    ]);
    const answersOf = async (scopes: string[]) => {
      const isOf = ({ scope = '' }: { scope?: string }) => scopes.includes(scope);
      const answers: string[] = [];
      for (const query of [...queries, ...matchQueries].filter(isOf)) answers.push(await tenant.ask(query));
      for (const query of summaries.filter(isOf)) answers.push(await tenant.summarise(query));
      return answers;
    };
    const all = () => answersOf(['match', 'player']);
    const before = await all();
    await archive();
    const { rows } = await app.owner.query(
      'SELECT sum(rows)::int AS rows FROM event_archives WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    assert.equal(rows[0].rows, 110, 'most of the 162 events are archived');
    const afterwards = await all();
    for (const [index, query] of [...queries, ...matchQueries, ...summaries].entries())
      assert.equal(afterwards[index], before[index], JSON.stringify(query));

    // Late events are in PostgreSQL at first, and then in parts of their own.
    await tenant.send('match', 'late', 12);
    const withLate = await answersOf(['match']);
    assert.ok(withLate.some((answer) => !before.includes(answer)));
    await archive();
    assert.deepEqual(await answersOf(['match']), withLate);
  });

  test('ends the process of DuckDB when the client disconnects, and at the time limit', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    let running = 0;
    /** Takes longer than any test. */
    const slow: Duckdb = async (job, limits) => {
      running++;
      const endless = {
        ...job,
        statements: [{ text: 'SELECT count(*) FROM range(1000000000000) a, range(1000000) b' }],
      };
      return duckdb(endless, limits).finally(() => running--);
    };
    const ask = (options: object) =>
      queryEvents(
        { database, archive: { root, duckdb: slow } },
        tenant.tenantId,
        {
          filter: { scope: 'player', from: month(-2), to: month(1) },
          groupBy: ['playerId'],
          countPlayers: false,
          limit: 1,
        },
        options,
      );
    await assert.rejects(ask({ seconds: 0.2 }), (error: { code?: string }) => error.code === 'query_timeout');
    const leaving = new AbortController();
    const left = ask({ signal: leaving.signal });
    left.catch(() => {});
    await eventually(() => running === 1);
    leaving.abort();
    await assert.rejects(left, (error: { code?: string }) => error.code === 'request_timeout');
    assert.equal(running, 0);
  });

  test('names its whole time limit, even if DuckDB had only the rest of it', async (context) => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const now = performance.now.bind(performance);
    let calls = 0;
    context.mock.method(performance, 'now', () => now() + 2_000 * calls++);
    const late: Duckdb = (_job, { seconds }) => {
      assert.ok(seconds < 14, `${seconds}`);
      throw new DuckdbTimeoutError('too late');
    };
    const asking = queryEvents({ database, archive: { root, duckdb: late } }, tenant.tenantId, {
      filter: { scope: 'player', from: month(-2), to: month(1) },
      groupBy: ['playerId'],
      countPlayers: false,
      limit: 1,
    });
    await assert.rejects(asking, { code: 'query_timeout', message: /longer than 15 seconds/ });
  });

  test('has its time limit after the wait for a change of partitions', async (context) => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const sources = { database, archive: { root, duckdb } };
    await afterLongWait(context, async () => {
      const { rows } = await queryEvents(
        sources,
        tenant.tenantId,
        {
          filter: { scope: 'player', from: month(-2), to: month(1) },
          groupBy: ['playerId'],
          countPlayers: false,
          limit: 10,
        },
        { seconds: 30 },
      );
      assert.equal(rows.length, 2);
    });
  });

  test('is 503 archive_unavailable if the archive cannot be read, and other queries are answered', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const path = `/api/bus_tenants/${tenant.tenantId}/queries`;
    const range = { scope: 'player', from: month(-2), to: month(1) };
    const ask = (query: object) => app.http.post(path, { ...range, ...query }, { apiKey: tenant.apiKey });
    const folder = join(root, tenant.tenantId);
    await rename(folder, `${folder}-elsewhere`);
    const lost = await ask({ groupBy: ['playerId'] });
    assert.deepEqual([lost.status, lost.body.code], [503, 'archive_unavailable'], lost.text);
    const whole = await ask({});
    assert.equal(whole.body.rows[0].events, 19, 'roll-ups know archived events');
    const live = await ask({ from: month(0), groupBy: ['playerId'] });
    assert.equal(live.status, 200, live.text);
    const unknown = await ask({ groupBy: ['playerId'], where: { eventKeys: ['unknown'] } });
    assert.deepEqual([unknown.status, unknown.body.rows], [200, []], unknown.text);
    await rename(`${folder}-elsewhere`, folder);
    assert.equal((await ask({ groupBy: ['playerId'] })).status, 200);
    const readFrom = (folder: string) =>
      queryEvents({ database, archive: { ...noArchive, root: folder } }, tenant.tenantId, {
        filter: { scope: 'player', from: month(-2), to: month(1) },
        groupBy: ['playerId'],
        countPlayers: false,
        limit: 1,
      });
    const unavailable = (reason: RegExp) => (error: { code?: string; cause?: unknown }) =>
      error.code === 'archive_unavailable' && reason.test(String(error.cause));
    await assert.rejects(readFrom(root), unavailable(/@duckdb/));
    await assert.rejects(readFrom(join(root, 'elsewhere')), unavailable(/is missing. Set ARCHIVE_DIR/));
  });

  test('counts each event once while events are archived', async () => {
    const tenant = await arrange();
    await tenant.send('match', 'first', 30);
    const query = { scope: 'match', groupBy: ['playerId'], countPlayers: true };
    const expected = await tenant.ask(query);
    let isOver = false;
    let asked = 0;
    const asking = (async () => {
      while (!isOver || asked < 3) {
        assert.equal(await tenant.ask(query), expected);
        asked++;
      }
    })();
    await archive().finally(() => (isOver = true));
    await asking;
    assert.equal(await tenant.ask(query), expected);
  });
});

/** The members of an export of a player that have events. */
const eventsOf = ({ matchEvents, playerEvents }: Record<string, object[]>) => ({ matchEvents, playerEvents });

describe('exports with archived events', () => {
  const exportOf = (tenant: Tenant, query: object) =>
    app.http.get(`/api/bus_tenants/${tenant.tenantId}/events/export?${new URLSearchParams({ ...query })}`, {
      apiKey: tenant.apiKey,
    });
  const exported = async (tenant: Tenant, query: object) => {
    const { status, text } = await exportOf(tenant, query);
    assert.equal(status, 200, text);
    return text;
  };

  test('return the same rows as before the events were archived', async () => {
    const [tenant, other] = [await arrange(), await arrange()];
    for (const scope of ['match', 'player'] as const) {
      await tenant.send(scope, 'first', 40);
      await other.send(scope, 'first', 10);
    }
    const [player] = tenant.players as [(typeof tenant.players)[0]];
    const admin = await arrangeAccount(app, tenant, 'admin');
    const all = async (): Promise<string[]> => {
      const answers: string[] = [];
      for (const scope of ['match', 'player'])
        for (const query of [
          {},
          { format: 'csv' },
          {
            from: month(-1),
            to: new Date(Date.parse(month(-1)) + 86_400_000 + 20 * 1_530_000).toISOString(),
          },
          { from: month(0) },
          { to: '1999-01-01T00:00:00Z' },
          { to: '1999-01-01T00:00:00Z', format: 'csv' },
          { eventKey: `${scope} fall`, eventValue: 'high' },
          { eventKey: 'unknown' },
          { playerId: player.playerId },
          { playerId: randomUUID() },
          ...(scope === 'match' ? [{ matchSessionId: tenant.matchSessionId }] : []),
        ])
          answers.push(await exported(tenant, { scope, format: 'ndjson', ...query }));
      const own = await app.http.get('/api/player-profile/me/export', { bearer: player.accessToken });
      const path = `/api/bus_tenants/${tenant.tenantId}/players/${player.playerId}/export`;
      for (const { status, text, body } of [own, await app.http.get(path, admin)]) {
        assert.equal(status, 200, text);
        answers.push(JSON.stringify(eventsOf(body)));
      }
      return answers;
    };
    const before = await all();
    assert.equal(before[0]!.trim().split('\n').length, 81);
    await archive();
    assert.deepEqual(await all(), before);
    // Events whose names are archived are stored again. They are the same events.
    await tenant.send('match', 'first', 40);
    const matchEvents = { scope: 'match', format: 'ndjson' };
    assert.equal(await exported(tenant, matchEvents), before[0]);
    await tenant.send('match', 'late', 12);
    const withLate = await exported(tenant, matchEvents);
    assert.equal(withLate.trim().split('\n').length, 81 + 25);
    await archive();
    assert.equal(await exported(tenant, matchEvents), withLate);
  });

  test('are read in chunks, in the order of times and of the bytes of keys', async () => {
    const tenant = await arrange();
    const [player] = tenant.players as [(typeof tenant.players)[0]];
    // U+FFFD sorts before U+1F5DD by bytes, and after it by UTF-16.
    const keyOf = (number: number) => `${['\u{1F5DD}', '\uFFFD', 'a'][number % 3]} ${number}`;
    const events = Array.from({ length: 6_000 }, (_, number) => ({
      playerId: player.playerId,
      eventKey: 'jump',
      idempotencyKey: keyOf(number),
      // Most have one time, and so do the newest ones.
      occurredAt: new Date(
        Date.parse(month(-1)) + (number < 4_700 ? 0 : Math.min(number, 5_900)),
      ).toISOString(),
    }));
    const send = async (some: typeof events) => {
      const { status, text } = await app.http.post(
        '/api/game/player-events',
        { events: some },
        player.caller,
      );
      assert.equal(status, 201, text);
    };
    await send(events.filter((_, number) => number % 5 !== 0));
    await archive();
    await send(events.filter((_, number) => number % 5 === 0));
    const keys = async () =>
      (await exported(tenant, { scope: 'player', format: 'ndjson' }))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).idempotencyKey as string);
    const inOrder = events
      .toSorted(
        (a, b) =>
          Date.parse(a.occurredAt) - Date.parse(b.occurredAt) ||
          Buffer.compare(Buffer.from(a.idempotencyKey), Buffer.from(b.idempotencyKey)),
      )
      .map(({ idempotencyKey }) => idempotencyKey);
    const newestFirst = async () => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listEvents(
          { database, archive: { root, duckdb } },
          tenant.tenantId,
          { scope: 'player' },
          { limit: 1_000, cursor },
        );
        found.push(...page.items.map(({ idempotencyKey }) => idempotencyKey));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return found;
    };
    assert.deepEqual(await keys(), inOrder, 'a part and later events');
    assert.deepEqual(await newestFirst(), inOrder.toReversed());
    const few = (await pageOf(tenant, { scope: 'player', limit: 5 })).body.items as StoredEvent[];
    assert.deepEqual(
      few.map(({ idempotencyKey }) => idempotencyKey),
      inOrder.toReversed().slice(0, 5),
      'PostgreSQL has later events of the newest time too',
    );
    await archive();
    assert.deepEqual(await keys(), inOrder, 'two parts of a month');
    assert.deepEqual(await newestFirst(), inOrder.toReversed());
  });

  test('have each event once while events are archived', async () => {
    const tenant = await arrange();
    const [player] = tenant.players as [(typeof tenant.players)[0]];
    const events = Array.from({ length: 3_000 }, (_, number) => ({
      playerId: player.playerId,
      eventKey: 'jump',
      idempotencyKey: `key ${number}`,
      occurredAt: new Date(Date.parse(month(-2)) + number * 1_200_000).toISOString(),
    }));
    const sent = await app.http.post('/api/game/player-events', { events }, player.caller);
    assert.equal(sent.status, 201, sent.text);
    const chunks = exportEvents({ database, archive: { root, duckdb } }, tenant.tenantId, {
      scope: 'player',
    });
    const found: string[] = [];
    const take = (chunk: StoredEvent[]) => found.push(...chunk.map(({ eventRecordId }) => eventRecordId));
    // Both months are archived while the export is in the first one.
    take((await chunks.next()).value as StoredEvent[]);
    await archive();
    for await (const chunk of chunks) take(chunk);
    assert.equal(found.length, 3_000);
    assert.equal(new Set(found).size, 3_000);
  });

  test('run no more processes of DuckDB than exports may read at once', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 30);
    await archive();
    let [running, most] = [0, 0];
    const counted: Duckdb = async (job, limits) => {
      most = Math.max(most, ++running);
      return duckdb(job, limits).finally(() => running--);
    };
    const sources = { database, archive: { root, duckdb: counted } };
    async function* pieces(): AsyncGenerator<string> {
      for await (const chunk of exportEvents(sources, tenant.tenantId, { scope: 'player' }))
        yield chunk.map(({ eventRecordId }) => eventRecordId).join(' ');
    }
    const limits = { perCaller: 9, perTenant: 9, perNetwork: 9, inAll: 9, reading: 2 };
    const exports = createExports(createAcquireSlots(), 'test', limits);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const stream = await exports.open({} as FastifyRequest, tenant.tenantId, pieces());
        return (await Array.fromAsync(stream as AsyncIterable<string>)).join(' ').split(' ').length;
      }),
    );
    assert.deepEqual(new Set(answers), new Set([61]));
    assert.ok(most > 0 && most <= limits.reading, `${most} at once`);
  });

  test('are 503 archive_unavailable if the archive cannot be read', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const [player] = tenant.players as [(typeof tenant.players)[0]];
    const admin = await arrangeAccount(app, tenant, 'admin');
    const folder = join(root, tenant.tenantId);
    await rename(folder, `${folder}-elsewhere`);
    for (const lost of [
      await exportOf(tenant, { scope: 'player', format: 'ndjson' }),
      await exportOf(tenant, { scope: 'player', format: 'csv' }),
      await app.http.get('/api/player-profile/me/export', { bearer: player.accessToken }),
      await app.http.get(`/api/bus_tenants/${tenant.tenantId}/players/${player.playerId}/export`, admin),
    ])
      assert.deepEqual([lost.status, lost.body.code], [503, 'archive_unavailable'], lost.text);
    const { rows: audited } = await app.owner.query(
      `SELECT action FROM audit_records WHERE target_id = $1 AND action IN ('player.data_exported', 'player.exported')`,
      [player.playerId],
    );
    assert.deepEqual(audited, [], 'a refused export leaves no audit record');
    assert.equal((await exportOf(tenant, { scope: 'player', format: 'csv', from: month(0) })).status, 200);
    await rename(`${folder}-elsewhere`, folder);
    assert.equal((await exportOf(tenant, { scope: 'player', format: 'csv' })).status, 200);
  });
});

describe('GET /api/bus_tenants/:tenantId/events with archived events', () => {
  test('lists the same events as before they were archived, each once', async () => {
    const [tenant, other] = [await arrange(), await arrange()];
    for (const scope of ['match', 'player'] as const) {
      await tenant.send(scope, 'first', 40);
      await other.send(scope, 'first', 10);
    }
    const listAll = async () => {
      const lists: object[][] = [];
      for (const scope of ['match', 'player'])
        for (const query of [
          {},
          { from: month(-1), to: month(0) },
          { from: month(0) },
          { to: '1999-01-01T00:00:00Z' },
          { eventKey: `${scope} fall`, eventValue: 'high' },
          { eventKey: 'unknown' },
          { playerId: tenant.players[0]!.playerId },
          { playerId: randomUUID() },
          ...(scope === 'match' ? [{ matchSessionId: tenant.matchSessionId }] : []),
        ])
          lists.push(await listed(tenant, { scope, limit: 30, ...query }));
      return lists;
    };
    const before = await listAll();
    assert.equal(before[0]!.length, 81);
    await archive();
    assert.deepEqual(await listAll(), before);
    // Events whose names are archived are stored again. They are the same events.
    await tenant.send('match', 'first', 40);
    assert.deepEqual(await listed(tenant, { scope: 'match', limit: 30 }), before[0]);
    await tenant.send('match', 'late', 12);
    const withLate = await listed(tenant, { scope: 'match', limit: 30 });
    assert.equal(withLate.length, 81 + 25);
    await archive();
    assert.deepEqual(await listed(tenant, { scope: 'match', limit: 200 }), withLate);
  });

  test('lists each event once while events are archived', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 30);
    const query = { scope: 'player', limit: 10 };
    const expected = await listed(tenant, query);
    let isOver = false;
    let lists = 0;
    const listing = (async () => {
      for (; !isOver || lists < 3; lists++) assert.deepEqual(await listed(tenant, query), expected);
    })();
    await archive().finally(() => (isOver = true));
    await listing;
  });

  test('ends a page early if few of many archived events match', async (context) => {
    const tenant = await arrange();
    const [player] = tenant.players as [(typeof tenant.players)[0]];
    const events = Array.from({ length: 9_000 }, (_, number) => ({
      playerId: player.playerId,
      eventKey: number % 3_000 === 10 ? 'rare' : 'jump',
      idempotencyKey: `key ${number}`,
      occurredAt: new Date(Date.parse(month(-1)) + number).toISOString(),
    }));
    const sent = await app.http.post('/api/game/player-events', { events }, player.caller);
    assert.equal(sent.status, 201, sent.text);
    await archive();
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await listEvents(
        { database, archive: { root, duckdb } },
        tenant.tenantId,
        { scope: 'player', eventKeys: ['rare'] },
        { limit: 2, cursor },
        { seconds: 0 },
      );
      pages.push(page.items.map(({ idempotencyKey }) => idempotencyKey));
      assert.equal(page.hasMore, page.nextCursor !== undefined);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(pages.flat(), ['key 6010', 'key 3010', 'key 10']);
    assert.ok(pages.length > 2, `${pages.length} pages`);
    await afterLongWait(context, async () => {
      const { items } = await listEvents(
        { database, archive: { root, duckdb } },
        tenant.tenantId,
        { scope: 'player', eventKeys: ['rare'] },
        { limit: 2, cursor: undefined },
        { seconds: 30 },
      );
      assert.equal(
        items.length,
        2,
        'the time of a page does not include the wait for a change of partitions',
      );
    });
  });

  test('is 503 archive_unavailable only if a page needs the archive', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const folder = join(root, tenant.tenantId);
    await rename(folder, `${folder}-elsewhere`);
    const lost = await pageOf(tenant, { scope: 'player' });
    assert.deepEqual([lost.status, lost.body.code], [503, 'archive_unavailable'], lost.text);
    for (const query of [{ from: month(0) }, { limit: 3 }, { eventKey: 'unknown' }]) {
      const { status, text } = await pageOf(tenant, { scope: 'player', ...query });
      assert.equal(status, 200, text);
    }
    await rename(`${folder}-elsewhere`, folder);
    assert.equal((await pageOf(tenant, { scope: 'player' })).status, 200);
  });
});

describe('roll-ups of archived months', () => {
  test('are compared with the archive, and counted again from it', async () => {
    const tenant = await arrange();
    const sources = { database, archive: { root, duckdb } };
    for (const scope of ['match', 'player'] as const) await tenant.send(scope, 'first', 40);
    await archive();
    await tenant.send('match', 'late', 12);
    const check = async () => {
      const found = { days: 0, differences: 0 };
      await checkRollups(sources, tenant.tenantId, ({ count }) => {
        found.days++;
        found.differences += count;
      });
      return found;
    };
    const { days, differences } = await check();
    assert.equal(differences, 0);
    assert.ok(days >= 6, `${days} days`);
    const all = { scope: 'match', groupBy: ['eventKey'], bucket: 'day' };
    const before = await tenant.ask(all);

    await app.owner.query(
      `UPDATE event_rollups SET events = events + 1 WHERE span = 'day' AND ctid = (
         SELECT ctid FROM event_rollups WHERE tenant_id = $1 AND span = 'day' AND starts_at < $2 LIMIT 1)`,
      [tenant.tenantId, month(0)],
    );
    await app.owner.query('DELETE FROM event_rollup_deltas WHERE tenant_id = $1', [tenant.tenantId]);
    assert.ok((await check()).differences > 0);
    // Also if nothing in PostgreSQL names a day.
    await app.owner.query('DELETE FROM event_rollups WHERE tenant_id = $1', [tenant.tenantId]);
    assert.notEqual(await tenant.ask(all), before);
    await rebuildRollups(sources, tenant.tenantId, () => {});
    assert.equal((await check()).differences, 0);
    assert.equal(await tenant.ask(all), before);

    // A day with too many groups is counted by hours. One such day suffices.
    let refused = 0;
    const ofHours: Duckdb = async (job, limits) => {
      const [from = '', to = ''] = job.statements[0]!.text.match(/(?<=TIMESTAMPTZ ')[^']+/g)!;
      if (refused > 0 || Date.parse(to) - Date.parse(from) < 86_400_000) return duckdb(job, limits);
      refused++;
      return Array.from({ length: 100_001 }, () => ({}));
    };
    await app.owner.query('DELETE FROM event_rollups WHERE tenant_id = $1', [tenant.tenantId]);
    await rebuildRollups({ database, archive: { root, duckdb: ofHours } }, tenant.tenantId, () => {});
    assert.equal(refused, 1);
    assert.equal(await tenant.ask(all), before);
    assert.equal((await check()).differences, 0);
  });

  test('are checked and counted again if counting takes longer than a transaction may be idle', async () => {
    const tenant = await arrange();
    await tenant.send('match', 'first', 2);
    await archive();
    const impatient: Database = {
      ...database,
      forTenant(tenantId) {
        const scope = database.forTenant(tenantId);
        return {
          ...scope,
          transaction: (work) =>
            scope.transaction(async (transaction) => {
              await transaction.run(
                sql`SELECT set_config('idle_in_transaction_session_timeout', '100ms', true)`,
              );
              return work(transaction);
            }),
        };
      },
    };
    let counted = 0;
    const slow: Duckdb = async (job, limits) => {
      counted++;
      await sleep(500);
      return duckdb(job, limits);
    };
    const sources = { database: impatient, archive: { root, duckdb: slow } };
    await rebuildRollups(sources, tenant.tenantId, () => {});
    await checkRollups(sources, tenant.tenantId, ({ count }) => assert.equal(count, 0));
    assert.ok(counted > 0);
  });

  test('are not counted again without their archive', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const before = await tenant.ask({ scope: 'player' });
    const folder = join(root, tenant.tenantId);
    await rename(folder, `${folder}-elsewhere`);
    for (const sources of [
      { database, archive: { root, duckdb } },
      { database, archive: { ...noArchive, root } },
    ]) {
      await assert.rejects(
        checkRollups(sources, tenant.tenantId, () => {}),
        OperatorError,
      );
      await assert.rejects(
        rebuildRollups(sources, tenant.tenantId, () => {}),
        OperatorError,
      );
    }
    await rename(`${folder}-elsewhere`, folder);
    assert.equal(await tenant.ask({ scope: 'player' }), before);
  });

  test('are not counted again if an hour has too many groups or takes too long', async () => {
    const tenant = await arrange();
    await tenant.send('player', 'first', 9);
    await archive();
    const tooMany = Array.from({ length: 100_001 }, () => ({}));
    const failures: [RegExp, Duckdb][] = [
      [/have too many counts by minute and definition/, async () => tooMany],
      [/could not be counted within 600 seconds/, () => Promise.reject(new DuckdbTimeoutError('late'))],
    ];
    for (const [message, ofHour] of failures) {
      let jobs = 0;
      const failing: Duckdb = async (...job) => (jobs++ === 0 ? tooMany : ofHour(...job));
      await assert.rejects(
        checkRollups({ database, archive: { root, duckdb: failing } }, tenant.tenantId, () => {}),
        { name: 'OperatorError', message },
      );
    }
  });
});
