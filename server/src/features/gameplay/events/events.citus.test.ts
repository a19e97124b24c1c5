import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { listWorkers } from '../../../../acceptance/citus-database.ts';
import { verify } from '../../../cli/verify.ts';
import { distributedTables, distributeEvents } from '../../../database/citus.ts';
import { withClient } from '../../../database/client.ts';
import { openDatabase, type Querier } from '../../../database/database.ts';
import { dropPartitionsBefore } from '../../../database/partitions/drop-partitions.ts';
import { firstOfMonth } from '../../../database/partitions/partitioned-tables.ts';
import { createPartitions } from '../../../database/partitions/create-partitions.ts';
import { rowTypes } from '../../../database/row-types.ts';
import { querier } from '../../../database/scope.ts';
import { sql } from '../../../database/sql.ts';
import { eventually } from '../../../testing/eventually.ts';
import { arrangeMatchOfTwo, sendAs } from '../../../testing/match-of-two.ts';
import { noArchive } from '../../../testing/no-archive.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { archiveEvents } from './archive/writing/archive-events.ts';
import type { EventFilter } from './event-filter.ts';
import type { EventScope } from './event-row.ts';
import { withoutStored } from './ingestion/queries.ts';
import { selectHashedEvents } from './queries.ts';
import { chooseAccessPath, selectEvents } from './reading/queries.ts';
import { groupEvents } from './reading/query-sql.ts';
import { checkRollups, rebuildRollups } from './rollups/repair.ts';
import { countEvents } from './reading/summary-sql.ts';

// Runs on the cluster of TEST_CITUS_URL, in a database of its own.
const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());
const [mine, theirs] = [await arrangeMatchOfTwo(app), await arrangeMatchOfTwo(app)];
const [ada, bob] = mine.players as [(typeof mine.players)[0], (typeof mine.players)[0]];
const path = `/api/bus_tenants/${mine.tenantId}`;
const reader = { apiKey: mine.apiKey };
// The month of these tests. It stays the same if the month changes meanwhile.
const today = new Date();
await createPartitions(app.owner, { today });
const day = firstOfMonth(today, -1);
const range = `from=${day}T00:00:00Z&to=${day}T23:00:00Z`;
let keys = 0;

/** Creates events from the first day of the last month. */
function someOf(scope: EventScope, count: number, values: object = {}) {
  return Array.from({ length: count }, () => ({
    eventKey: `${scope} ${keys % 3 ? 'jump' : 'fall'}`,
    value: keys,
    idempotencyKey: `key-${keys++}`,
    occurredAt: `${day}T10:${String(keys % 60).padStart(2, '0')}:00Z`,
    ...values,
  }));
}

const send = (scope: EventScope, events: object[]) => sendAs(app, mine, scope, ada, events);

/** The number of events that the export of the API has. */
async function exported(query: string, caller = reader, of = path): Promise<number> {
  const { status, text } = await app.http.get(`${of}/events/export?${query}`, caller);
  assert.equal(status, 200, text);
  return text.split('\n').filter(Boolean).length;
}

/** The number of events by a list, a summary and a query. */
async function countEach(scope: EventScope, filter: Record<string, string> = {}): Promise<number[]> {
  const asked = new URLSearchParams({ scope, ...filter });
  const list = await app.http.get(`${path}/events?limit=1000&${range}&${asked}`, reader);
  const summary = await app.http.get(`${path}/events/summary?bucket=hour&${range}&${asked}`, reader);
  const [from, to] = [`${day}T00:00:00Z`, `${day}T23:00:00Z`];
  const { eventKey, playerId, matchSessionId } = filter;
  const where = {
    ...(eventKey && { eventKeys: [eventKey] }),
    ...(playerId && { playerIds: [playerId] }),
    ...(matchSessionId && { matchSessionId }),
  };
  const query = await app.http.post(`${path}/queries`, { scope, from, to, where }, reader);
  for (const { status, text } of [list, summary, query]) assert.equal(status, 200, text);
  return [
    list.body.items.length,
    summary.body.items.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    query.body.rows[0]?.events ?? 0,
    await exported(`${range}&${asked}`),
  ];
}

/** The node that has the events of the tenant, and the name of their shard there. */
async function placementOf(table: string): Promise<{ node: URL; shard: string }> {
  const { rows } = await app.owner.query(
    `SELECT nodename || ':' || nodeport AS host, shard_name AS shard FROM citus_shards
     WHERE table_name = $1::regclass AND shardid = get_shard_id_for_distribution_column($1::regclass, $2::uuid)`,
    [table, mine.tenantId],
  );
  const node = new URL(app.databaseUrl);
  node.host = rows[0].host;
  return { node, shard: rows[0].shard };
}

const stored: Record<EventScope, number> = { match: 0, player: 0 };

describe('on a cluster of Citus', () => {
  test('the event tables are distributed with their partitions, and no other table is', async () => {
    const { rows } = await app.owner.query(
      `SELECT relname AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid WHERE NOT relispartition ORDER BY 1`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      distributedTables,
    );
    assert.deepEqual(await withClient(app.databaseUrl, distributeEvents), []);
  });

  test('players sign in and refresh', async () => {
    const { refreshToken } = ada;
    const { status, text } = await app.http.post('/api/player-auth/refresh', { refreshToken }, mine);
    assert.equal(status, 200, text);
  });

  test('events are stored once, in batches of any size', async () => {
    for (const scope of ['match', 'player'] as const)
      for (const size of [1, 5, 50, 2_000]) {
        // The large batch has a time of its own, so that a page has all others.
        const batch = someOf(scope, size, size === 2_000 ? { occurredAt: `${day}T23:30:00Z` } : {});
        const first = await send(scope, batch);
        assert.equal(first.status, 201, first.text);
        assert.equal(first.body.records.length, size);
        const repeated = await send(scope, batch);
        assert.deepEqual([repeated.body.records.length, repeated.body.duplicateCount], [0, size]);
        const overlapping = await send(scope, [...someOf(scope, 2), ...batch, ...someOf(scope, 1)]);
        assert.deepEqual([overlapping.body.records.length, overlapping.body.duplicateCount], [3, size]);
        stored[scope] += size + 3;
      }
    for (const scope of ['match', 'player'] as const)
      assert.equal(await exported(`scope=${scope}`), stored[scope]);
  });

  test('a batch that is sent ten times at once is stored once', async () => {
    const batch = someOf('player', 30);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('player', batch)));
    // The answer is 422 if all events of a batch were stored before.
    for (const { status, text } of answers) assert.ok(status === 201 || status === 422, text);
    const added = answers.map(({ body }) => body.records.length as number);
    assert.equal(Math.max(...added), 30);
    assert.equal(
      added.reduce((sum, count) => sum + count),
      30,
    );
    stored.player += 30;
  });

  test('a batch that its node refuses or delays gets 503, and is stored later', async () => {
    const { node, shard } = await placementOf('player_events');
    const client = new pg.Client({ connectionString: node.href });
    await client.connect();
    const batches = [1, 30].map((size) => someOf('player', size));
    const areRefused = async (): Promise<void> => {
      const answers = await Promise.all(batches.map((batch) => send('player', batch)));
      for (const { status, body, text } of answers)
        assert.deepEqual([status, body.code], [503, 'busy'], text);
    };
    await client.query(`ALTER TABLE ${shard} ADD CONSTRAINT refused CHECK (false) NOT VALID`);
    await areRefused();
    await client.query(`ALTER TABLE ${shard} DROP CONSTRAINT refused`);

    await client.query('BEGIN');
    for (const [first] of batches)
      await client.query(
        `INSERT INTO ${shard}
         SELECT $2, created_at_gl, value, tenant_id, id, player_id, login_session_id, event_definitions_id, $3, row_hash
         FROM ${shard} WHERE tenant_id = $1 LIMIT 1`,
        [mine.tenantId, first!.occurredAt, first!.idempotencyKey],
      );
    const since = performance.now();
    await areRefused();
    // Longer than lock_timeout, shorter than statement_timeout.
    const seconds = (performance.now() - since) / 1000;
    assert.ok(seconds > 9 && seconds < 25, `${seconds} seconds`);
    await client.query('ROLLBACK');
    await client.end();
    for (const batch of batches) assert.equal((await send('player', batch)).status, 201);
    stored.player += 31;
  });

  test('reads find the events by time, player, match and definition', async () => {
    for (const scope of ['match', 'player'] as const) {
      const all = stored[scope] - 2_000;
      assert.deepEqual(await countEach(scope), [all, all, all, all]);
      assert.deepEqual(await countEach(scope, { playerId: ada.playerId }), [all, all, all, all]);
      assert.deepEqual(await countEach(scope, { playerId: bob.playerId }), [0, 0, 0, 0]);
      const [listed, ...others] = await countEach(scope, { eventKey: `${scope} fall` });
      assert.ok(listed! > 10 && listed! < all / 2);
      assert.deepEqual(others, [listed, listed, listed]);
    }
    const all = stored.match - 2_000;
    const { matchSessionId } = mine;
    assert.deepEqual(await countEach('match', { matchSessionId }), [all, all, all, all]);
    assert.deepEqual(await countEach('match', { matchSessionId, playerId: bob.playerId }), [0, 0, 0, 0]);
    assert.deepEqual(await countEach('match', { matchSessionId: theirs.matchSessionId }), [0, 0, 0, 0]);
  });

  test('another tenant sees no event, even on the nodes and without a condition on the tenant', async () => {
    const other = `/api/bus_tenants/${theirs.tenantId}`;
    for (const scope of ['match', 'player']) {
      assert.equal(await exported(`scope=${scope}`, { apiKey: theirs.apiKey }, other), 0);
      const { apiKey } = theirs;
      assert.equal((await app.http.get(`${path}/events?scope=${scope}`, { apiKey })).status, 404);
    }
    for (const table of distributedTables) {
      const all = sql([`SELECT count(*)::int AS count FROM ${table}`]);
      assert.equal(await database.forTenant(theirs.tenantId).count(all), 0);
      assert.equal(await database.count(all), 0);
      assert.equal(
        await database.forTenant(mine.tenantId).count(all),
        stored[table === 'match_events' ? 'match' : 'player'],
      );
      const { node, shard } = await placementOf(table);
      node.username = 'guildhall_app';
      const client = new pg.Client({ connectionString: node.href });
      await client.connect();
      await client.query('SET citus.override_table_visibility = off');
      for (const [tenantId, expected] of [
        [mine.tenantId, true],
        [theirs.tenantId, false],
      ] as const) {
        await client.query(`SET guildhall.tenant_id = '${tenantId}'`);
        const { rowCount } = await client.query(`SELECT FROM ${shard} LIMIT 1`);
        assert.equal(rowCount === 1, expected, table);
      }
      await client.end();
    }
  });

  test('the worker moves the deltas, and the roll-ups equal the events', async () => {
    const worker = await startTestWorker(app);
    await eventually(async () => {
      const { rows } = await app.owner.query('SELECT count(*)::int AS count FROM event_rollup_deltas');
      return rows[0].count === 0;
    });
    await worker.stop();
    const differences = async (): Promise<number> => {
      let found = 0;
      await checkRollups({ database, archive: noArchive }, mine.tenantId, ({ count }) => (found += count));
      return found;
    };
    assert.equal(await differences(), 0);
    await app.owner.query('UPDATE event_rollups SET events = events + 1');
    assert.ok((await differences()) > 0);
    await rebuildRollups({ database, archive: noArchive }, mine.tenantId, () => {});
    assert.equal(await differences(), 0);
  });

  test('each statement about events runs as one task, on one node', async () => {
    const actors: Partial<EventFilter>[] = [
      {},
      { playerIds: [ada.playerId] },
      { eventKeys: ['player fall', 'match fall'] },
      { eventKeys: ['match fall'] },
    ];
    const filters: EventFilter[] = [
      ...actors.map((one): EventFilter => ({ ...one, scope: 'player' })),
      ...actors.map((one): EventFilter => ({ ...one, scope: 'match' })),
      { scope: 'match', matchSessionId: mine.matchSessionId },
      { scope: 'match', matchSessionId: mine.matchSessionId, playerIds: [ada.playerId] },
    ];
    const { tenantId } = mine;
    const limits = { from: `${day}T00:00:30.000000Z`, to: `${day}T23:00:30.000000Z` };
    const grouping = { groupBy: [], countPlayers: true };
    for (const filter of filters) {
      const { db, tasks } = createInspector(tenantId);
      const paths = await chooseAccessPath(db, tenantId, filter);
      for (const path of new Set([paths, 'time'] as const)) {
        await selectEvents(db, tenantId, filter, { after: undefined, direction: 'desc', limit: 51, path });
        const options = { filter: { ...filter, ...limits }, path, archived: [], limit: 10 };
        await groupEvents(db, tenantId, { ...options, grouping });
        await countEvents(db, tenantId, options.filter, {
          ...options,
          bucket: 'hour',
          groupBy: 'eventKey',
          top: 10,
        });
      }
      // The minutes of a rare key.
      const page = { after: undefined, direction: 'desc', limit: 51, path: 'time' } as const;
      await selectEvents(db, tenantId, filter, { ...page, ranges: [limits, limits] });
      assert.ok(tasks.length >= 4, JSON.stringify(filter));
      assert.deepEqual([...new Set(tasks)], [1], JSON.stringify(filter));
    }
    const { db, tasks } = createInspector(tenantId);
    const options = { filter: { scope: 'player' as const, ...limits }, archived: [], limit: 10 };
    await countEvents(db, tenantId, options.filter, {
      ...options,
      path: 'rollups',
      bucket: 'hour',
      groupBy: 'eventKey',
      top: 10,
    });
    await withoutStored(db, tenantId, 'player', [{ occurredAt: limits.from, idempotencyKey: 'none' }]);
    await selectHashedEvents(db, tenantId, { scope: 'match' }, undefined, 100);
    assert.deepEqual([...new Set(tasks)], [1]);
  });

  test('verify reads each event, and names an altered one', async () => {
    const altered: string[] = [];
    const report = ({ id }: { id: string }): void => void altered.push(id);
    const ofMine = { tenantId: mine.tenantId };
    let verified = 0;
    const onRows = (rows: number) => (verified += rows);
    await verify(app.databaseUrl, ofMine, report, { onRows });
    assert.ok(verified >= stored.match + stored.player);
    assert.deepEqual(altered, []);
    const { body } = await app.http.get(`${path}/events?scope=player&limit=1&${range}`, reader);
    const { eventRecordId } = body.items[0];
    const change = (by: number) =>
      app.owner.query('UPDATE player_events SET value = value + $1 WHERE tenant_id = $2 AND id = $3', [
        by,
        mine.tenantId,
        eventRecordId,
      ]);
    await change(1);
    await verify(app.databaseUrl, ofMine, report);
    assert.deepEqual(altered, [eventRecordId]);
    await change(-1);
  });

  test('no event is lost, and none is stored twice, while a shard moves to another node', async () => {
    const before = stored.player;
    const { rows } = await app.owner.query(
      `SELECT shardid AS id, nodename AS host, nodeport AS port FROM citus_shards
       WHERE table_name = 'player_events'::regclass
         AND shardid = get_shard_id_for_distribution_column('player_events', $1::uuid)`,
      [mine.tenantId],
    );
    const [shard] = rows;
    const nodes = (await listWorkers(app.databaseUrl)).map((url) => new URL(url));
    const target = nodes.find(({ port }) => port !== String(shard.port))!;
    let over = false;
    let batches = 0;
    const write = async (): Promise<void> => {
      while (!over) {
        const batch = someOf('player', 20);
        let answer = await send('player', batch);
        // A client repeats a request that was not answered, until it is.
        while (answer.status >= 500) answer = await send('player', batch);
        assert.equal(answer.body.records?.length + answer.body.duplicateCount, 20, answer.text);
        stored.player += 20;
        batches++;
      }
    };
    const move = async (): Promise<void> => {
      try {
        await eventually(() => batches > 10);
        await app.owner.query('SELECT citus_move_shard_placement($1, $2, $3, $4, $5)', [
          shard.id,
          shard.host,
          shard.port,
          target.hostname,
          Number(target.port),
        ]);
      } finally {
        over = true;
      }
    };
    await Promise.all([move(), write(), write()]);
    const { rows: moved } = await app.owner.query(
      `SELECT nodeport AS port FROM citus_shards WHERE shardid = $1`,
      [shard.id],
    );
    assert.deepEqual(moved, [{ port: Number(target.port) }]);
    assert.ok(stored.player - before > 1_000, `${stored.player - before} events were sent`);
    assert.equal(await exported('scope=player'), stored.player);
    const { rows: counted } = await app.owner.query(
      'SELECT count(*)::int AS count, count(DISTINCT idempotency_key)::int AS keys FROM player_events WHERE tenant_id = $1',
      [mine.tenantId],
    );
    assert.deepEqual(counted, [{ count: stored.player, keys: stored.player }]);
  });

  test('partitions are created and dropped on all nodes', async () => {
    const names = await createPartitions(app.owner, { today, monthsAhead: 5 });
    assert.equal(names.length, 8);
    const { rows } = await app.owner.query(
      `SELECT count(DISTINCT shardid)::int / count(DISTINCT table_name)::int AS shards FROM citus_shards
       WHERE table_name::text = ANY ($1)`,
      [names.filter((name) => name.includes('_events_'))],
    );
    assert.equal(rows[0].shards, 8);
    await dropPartitionsBefore(app.owner, 'match_events', firstOfMonth(today));
    assert.equal(await exported('scope=match'), 0);
    assert.equal(await exported('scope=player'), stored.player);
    const late = await send('match', someOf('match', 3));
    assert.equal(late.status, 201, late.text);
    assert.equal(await exported('scope=match'), 3);
  });

  test('archiving is refused', async () => {
    await assert.rejects(archiveEvents(app.owner, noArchive, firstOfMonth(today)), /cannot be archived/);
  });
});

/** Returns a querier that also explains each statement as the tenant, and notes the tasks of each part that reads other nodes. */
function createInspector(tenantId: string): { db: Querier; tasks: number[] } {
  const tasks: number[] = [];
  const db = querier(async ({ text, values }) => {
    const client = new pg.Client({
      connectionString: app.databaseUrl,
      options: '-c role=guildhall_app -c citus.propagate_set_commands=local',
    });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL guildhall.tenant_id = '${tenantId}'`);
      const { rows } = await client.query(`EXPLAIN (VERBOSE) ${text}`, values);
      for (const { 'QUERY PLAN': line } of rows) {
        const [, count] = /Task Count: (\d+)/.exec(line) ?? [];
        if (count !== undefined) tasks.push(Number(count));
      }
      return await client.query({ text, values, types: rowTypes });
    } finally {
      await client.end();
    }
  });
  return { db, tasks };
}
