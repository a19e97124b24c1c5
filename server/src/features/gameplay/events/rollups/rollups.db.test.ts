import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { createPartitions } from '../../../../database/partitions/create-partitions.ts';
import { firstOfMonth } from '../../../../database/partitions/partitioned-tables.ts';
import { openDatabase } from '../../../../database/database.ts';
import { dropOldRows } from '../../../../runtime/retention.ts';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { billingOf } from '../../../../testing/billing-of.ts';
import { noArchive } from '../../../../testing/no-archive.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';
import { comparePositions, withoutRepeats } from '../event-position.ts';
import { eventTables, type EventRow, type EventScope } from '../event-row.ts';
import { openEventWriter } from '../ingestion/event-writer.ts';
import { listEvents } from '../reading/list-events.ts';
import { queryEvents } from '../reading/query-events.ts';
import type { Dimension } from '../reading/query-sql.ts';
import { BUCKETS } from '../../../../core/time-range.ts';
import { summariseEvents } from '../reading/summarise-events.ts';
import type { SummaryGroup } from '../reading/summary-sql.ts';
import { deleteOldEventRollups, rollUpEvents } from './maintain.ts';
import { checkRollups, rebuildRollups } from './repair.ts';

const app = await startTestApp();
await createPartitions(app.owner);
const database = openDatabase(app.databaseUrl, { poolSize: 8 });
const upkeep = { owner: app.owner, database, archive: noArchive };
const writer = await openEventWriter(database, app.databaseUrl);
after(async () => {
  await writer.close();
  await database.close();
});

const KEYS = ['jump', 'fall', 'shot'];

/** A tenant with a player in a match, and one definition for each key. */
async function arrangeGame() {
  const tenant = await arrangeTenant(app);
  const { tenantId, workspaceId } = tenant;
  const { playerId } = await arrangePlayer(app, tenant);
  const { body: match } = await app.http.post('/api/game/matches', { players: [{ playerId }] }, tenant);
  const definitionIds = KEYS.map(() => randomUUID());
  await app.owner.query(
    `INSERT INTO event_definitions (tenant_id, id, event_key, event_scope, event_category)
     SELECT $1, id, key, 'both', 'of ' || key FROM unnest($2::uuid[], $3::text[]) AS definition (id, key)`,
    [tenantId, definitionIds, KEYS],
  );
  const billing = await billingOf(app.owner, { workspaceId, tenantId });
  const actors = { match: match.players[0].matchPlayerId as string, player: playerId };
  return {
    tenantId,
    countDeltas: async () =>
      (await app.owner.query('SELECT FROM event_rollup_deltas WHERE tenant_id = $1', [tenantId])).rowCount,
    /** Stores events, and drops those that are stored or occur twice. */
    async write(
      scope: EventScope,
      events: { at: string; key: number; definition: number; value: string | null }[],
    ) {
      const sent = events.map(({ at, key, definition, value }): EventRow => ({
        id: randomUUID(),
        actorId: actors[scope],
        matchSessionId: scope === 'match' ? match.matchSessionId : null,
        loginSessionId: null,
        definitionId: definitionIds[definition]!,
        idempotencyKey: `key-${key}`,
        value,
        occurredAt: at,
      }));
      const rows = withoutRepeats(sent.toSorted(comparePositions));
      if (rows.length > 0) await writer.write(scope, rows, billing);
    },
  };
}

const DAY_MS = 86_400_000;
const thisMonth = `${firstOfMonth(new Date())}T00:00:00Z`;
/** Some times around the start of this month, on the limits of minutes, hours and days, and between them. */
const instant = fc
  .record({
    day: fc.integer({ min: -2, max: 1 }),
    hour: fc.constantFrom(0, 1, 13, 23),
    minute: fc.constantFrom(0, 1, 30, 59),
    microsecond: fc.constantFrom(0, 1, 30_000_000, 59_999_999),
  })
  .map(({ day, hour, minute, microsecond }) => {
    const start = new Date(Date.parse(thisMonth) + day * DAY_MS + hour * 3_600_000 + minute * 60_000);
    const text = String(microsecond).padStart(8, '0');
    return `${start.toISOString().slice(0, 17)}${text.slice(0, 2)}.${text.slice(2)}Z`;
  });
const scope = fc.constantFrom<EventScope>('match', 'player');
const event = fc.record({
  at: instant,
  key: fc.integer({ min: 1, max: 3 }),
  definition: fc.integer({ min: 0, max: KEYS.length - 1 }),
  value: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), { freq: 3 }),
});
const step = fc.oneof(
  // From 20 rows on, the writer tries COPY first.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      scope,
      events: fc.array(event, { minLength: 1, maxLength: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('rollUp' as const),
      deltasPerStep: fc.integer({ min: 1, max: 30 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), scope }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteOld' as const) }) },
);
const query = fc.record({
  scope,
  limits: fc.tuple(instant, instant),
  bucket: fc.option(fc.constantFrom(...BUCKETS), { nil: undefined }),
  groupBy: fc.subarray(['eventKey', 'eventValue', 'eventCategory'] as const),
  eventKey: fc.option(fc.constantFrom(['jump'], ['fall', 'shot'], ['never']), { nil: undefined }),
  eventCategory: fc.option(fc.constantFrom(['of jump']), { nil: undefined }),
});

type Query = typeof query extends fc.Arbitrary<infer Value> ? Value : never;
type Game = Awaited<ReturnType<typeof arrangeGame>>;

/** Answers a query from the roll-ups and from the events. The events alone know the players. */
async function assertSameAnswers(
  { tenantId }: Game,
  { scope, limits, bucket, groupBy, eventKey, ...rest }: Query,
): Promise<void> {
  const [from, to] = limits.toSorted() as [string, string];
  if (from === to) return;
  const isWide = Date.parse(to) - Date.parse(from) > DAY_MS;
  const width = bucket === 'minute' && isWide ? 'hour' : bucket;
  const filter = { scope, from, to, eventKeys: eventKey && [...eventKey] };
  const eventCategories = rest.eventCategory && [...rest.eventCategory];
  const ask = async (countPlayers: boolean) => {
    const query = {
      filter: { ...filter, eventCategories },
      bucket: width,
      groupBy,
      countPlayers,
      limit: 1_000,
    };
    return (await queryEvents({ database, archive: noArchive }, tenantId, query)).rows;
  };
  const expected = (await ask(true)).map(({ players: _, ...row }) => row);
  assert.deepEqual(await ask(false), expected, 'a query');

  const wide = isWide ? 'day' : 'minute';
  const summarise = async (groupBy: SummaryGroup, top = 100) => {
    const options = { bucket: wide, groupBy, top } as const;
    const { items } = await summariseEvents({ database, archive: noArchive }, tenantId, filter, options);
    return items.map(({ bucketStart, eventKey: key, count }) => `${bucketStart} ${key} ${count}`).toSorted();
  };
  const count = async (groupBy: Dimension[], top = KEYS) => {
    const { rows } = await queryEvents({ database, archive: noArchive }, tenantId, {
      filter,
      bucket: wide,
      groupBy,
      countPlayers: true,
      limit: 1_000,
    });
    return rows
      .filter(({ eventKey: key }) => key === undefined || top.includes(key!))
      .map(({ bucketStart, eventKey: key, events }) => `${bucketStart} ${key} ${events}`)
      .toSorted();
  };
  assert.deepEqual(
    await summarise('definition'),
    await count(['eventKey', 'eventValue']),
    'a summary by definition',
  );
  assert.deepEqual(await summarise('eventKey'), await count(['eventKey']), 'a summary by key');
  assert.deepEqual(await summarise('time'), await count([]), 'a summary by time');
  const totals = await queryEvents({ database, archive: noArchive }, tenantId, {
    filter,
    groupBy: ['eventKey'],
    countPlayers: true,
    limit: 2,
  });
  const largest = totals.rows.map(({ eventKey: key }) => key!);
  assert.deepEqual(
    await summarise('eventKey', 2),
    await count(['eventKey'], largest),
    'a summary of two keys',
  );
}

/** Reads the events of a query in pages of two, whose minutes come from the roll-ups, and from their table. */
async function assertSamePages({ tenantId }: Game, { scope, limits, eventKey }: Query): Promise<void> {
  const [from, to] = limits.toSorted() as [string, string];
  const eventKeys = eventKey ? [...eventKey] : KEYS;
  const stored = await app.owner.query(
    `SELECT event.id FROM ${eventTables[scope]} event JOIN event_definitions definition
       ON definition.tenant_id = event.tenant_id AND definition.id = event.event_definitions_id
     WHERE event.tenant_id = $1 AND event_key = ANY ($2) AND occurred_at >= $3 AND occurred_at < $4
     ORDER BY occurred_at DESC, idempotency_key DESC`,
    [tenantId, eventKeys, from, to],
  );
  const read: string[] = [];
  let cursor: string | undefined;
  do {
    const filter = { scope, from, to, eventKeys };
    const page = await listEvents({ database, archive: noArchive }, tenantId, filter, { limit: 2, cursor });
    read.push(...page.items.map(({ eventRecordId }) => eventRecordId));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(
    read,
    stored.rows.map(({ id }) => id),
  );
}

/** Lists the roll-ups of a tenant that differ from its events. */
async function findDifferences(tenantId: string) {
  const found: object[] = [];
  let days = 0;
  await checkRollups({ database, archive: noArchive }, tenantId, ({ differences }) => {
    days++;
    found.push(...differences);
  });
  return { days, found };
}

describe('roll-ups of events', () => {
  test('equal the events after each step, together with their deltas', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, query), { minLength: 4, maxLength: 12 }), async (steps) => {
        // Roll-ups start at one time for all tenants, so each run begins with all of it. Without the rows of earlier runs, a seed
        // always stores the same rows at the same places in the tables.
        await app.owner.query(`UPDATE event_rollup_starts SET starts_at = '-infinity'`);
        await app.owner.query('TRUNCATE event_rollups, event_rollup_deltas');
        const game = await arrangeGame();
        for (const [action, asked] of steps) {
          if (action.kind === 'write') await game.write(action.scope, action.events);
          else if (action.kind === 'rollUp') await rollUpEvents(database, action.deltasPerStep);
          else if (action.kind === 'rebuild')
            await rebuildRollups({ database, archive: noArchive }, game.tenantId, () => {});
          else if (action.kind === 'drop')
            await dropOldRows(upkeep, eventTables[action.scope], thisMonth.slice(0, 10));
          else await deleteOldEventRollups(database.forTenant(game.tenantId), game.tenantId);
          await assertSameAnswers(game, asked);
          await assertSamePages(game, asked);
          assert.deepEqual((await findDifferences(game.tenantId)).found, [], action.kind);
        }
      }),
      // To find a smaller example would take longer than a test file may run.
      { numRuns: 20, endOnFailure: true },
    );
  });

  test('equal the events at any moment of writes, roll-ups and rebuilds', async () => {
    await app.owner.query(`UPDATE event_rollup_starts SET starts_at = '-infinity'`);
    const game = await arrangeGame();
    const batches = fc.sample(fc.array(event, { minLength: 5, maxLength: 40 }), 120);
    let over = false;
    const until = async (work: () => Promise<unknown>) => {
      let turns = 0;
      for (; !over; turns++) await work();
      return turns;
    };
    const writing = Promise.all(
      [0, 1, 2].map(async (turn) => {
        for (const [index, events] of batches.entries())
          // Each batch is sent by two of the writers.
          if (index % 3 !== turn) await game.write('player', events);
      }),
    ).finally(() => (over = true));
    const [rolledUp, , checks] = await Promise.all([
      until(() => rollUpEvents(database, 3)),
      until(() => rebuildRollups({ database, archive: noArchive }, game.tenantId, () => {})),
      until(async () => assert.deepEqual((await findDifferences(game.tenantId)).found, [])),
      until(() => rollUpEvents(database, 50)),
      writing,
    ]);
    assert.ok(rolledUp > 3 && checks > 3, `${rolledUp} roll-ups, ${checks} checks`);
    await rollUpEvents(database);
    assert.equal(await game.countDeltas(), 0);
    const { days, found } = await findDifferences(game.tenantId);
    assert.deepEqual(found, []);
    assert.ok(days > 1);
  });

  test('take a limited number of deltas in one run of the worker', async () => {
    await rollUpEvents(database);
    const game = await arrangeGame();
    const times = Array.from({ length: 12 }, (_, minute) => String(minute).padStart(2, '0'));
    await game.write(
      'match',
      times.map((minute) => ({
        at: `${thisMonth.slice(0, 11)}10:${minute}:30.000000Z`,
        key: 1,
        definition: 0,
        value: null,
      })),
    );
    assert.equal(await game.countDeltas(), 12);
    await rollUpEvents(database, 1);
    assert.equal(await game.countDeltas(), 2);
    await rollUpEvents(database, 1);
    assert.equal(await game.countDeltas(), 0);
  });

  test('are changed by one process at a time', async () => {
    await app.owner.query(`UPDATE event_rollup_starts SET starts_at = '-infinity'`);
    const game = await arrangeGame();
    const at = `${thisMonth.slice(0, 11)}10:20:30.000000Z`;
    await game.write('player', [{ at, key: 1, definition: 0, value: null }]);
    await whileLocked(
      app,
      async (holder) => void (await holder.query('SELECT pg_advisory_xact_lock(7118061)')),
      async (waiting, release) => {
        await rollUpEvents(database);
        assert.equal(await game.countDeltas(), 1, 'it does not wait');
        const rebuild = rebuildRollups({ database, archive: noArchive }, game.tenantId, () => {});
        await waiting(1);
        assert.equal(await game.countDeltas(), 1);
        await release();
        await rebuild;
      },
    );
    assert.equal(await game.countDeltas(), 0);
    assert.deepEqual((await findDifferences(game.tenantId)).found, []);
  });

  test('are deleted for one span, and stay for the others', async () => {
    await app.owner.query(`UPDATE event_rollup_starts SET starts_at = '-infinity'`);
    const game = await arrangeGame();
    // Two minutes of an old hour, then one of a new day: in their partitions, the new hour and the new day have the place (ctid) of
    // the second old minute.
    await app.owner.query('TRUNCATE event_rollups, event_rollup_deltas');
    const eventAt = (at: string) => ({ at, key: 1, definition: 0, value: null });
    const old = new Date(Date.parse(thisMonth) - DAY_MS).toISOString().slice(0, 11);
    await game.write('player', [eventAt(`${old}10:20:30.000000Z`), eventAt(`${old}10:21:30.000000Z`)]);
    await rollUpEvents(database);
    await game.write('player', [eventAt(`${thisMonth.slice(0, 11)}10:20:30.000000Z`)]);
    await rollUpEvents(database);
    await dropOldRows(upkeep, 'player_events', thisMonth.slice(0, 10));
    await deleteOldEventRollups(database.forTenant(game.tenantId), game.tenantId);
    const { rows } = await app.owner.query(
      `SELECT span, is_total, starts_at < $2 AS is_old FROM event_rollups WHERE tenant_id = $1 ORDER BY span, is_total LIMIT 9`,
      [game.tenantId, thisMonth],
    );
    assert.deepEqual(
      rows,
      ['day', 'hour', 'minute'].flatMap((span) =>
        [false, true].map((is_total) => ({ span, is_total, is_old: false })),
      ),
    );
    assert.deepEqual((await findDifferences(game.tenantId)).found, []);
  });

  test('are repaired by a rebuild, and named by a check', async () => {
    await app.owner.query(`UPDATE event_rollup_starts SET starts_at = '-infinity'`);
    const game = await arrangeGame();
    const other = await arrangeGame();
    const at = `${thisMonth.slice(0, 11)}10:20:30.000000Z`;
    for (const { write } of [game, other])
      await write('player', [
        { at, key: 1, definition: 0, value: '5' },
        { at, key: 2, definition: 0, value: null },
      ]);
    await rollUpEvents(database);
    await app.owner.query(
      `UPDATE event_rollups SET events = 7, value_maximum = 6 WHERE tenant_id = $1 AND span = 'hour' AND is_total`,
      [game.tenantId],
    );
    await app.owner.query(
      `INSERT INTO event_rollups (tenant_id, scope, span, is_total, starts_at, definition_id, events, value_count)
       SELECT tenant_id, scope, span, is_total, starts_at - interval '1 day', definition_id, 1, 0 FROM event_rollups
       WHERE tenant_id = $1 AND span = 'minute' AND NOT is_total`,
      [game.tenantId],
    );
    const { found } = await findDifferences(game.tenantId);
    const [stray, wrong] = found as Record<string, unknown>[];
    assert.equal(found.length, 2);
    const none = { events: 0, valueCount: 0, valueSum: null, valueMinimum: null, valueMaximum: null };
    assert.deepEqual([stray!.span, stray!.counted], ['minute', none]);
    const counted = { events: 2, valueCount: 1, valueSum: '5', valueMinimum: '5', valueMaximum: '5' };
    assert.deepEqual(
      [wrong!.span, wrong!.definitionId, wrong!.counted, wrong!.rolledUp],
      ['hour', null, counted, { ...counted, events: 7, valueMaximum: '6' }],
    );
    assert.deepEqual((await findDifferences(other.tenantId)).found, []);

    const progress: number[] = [];
    await rebuildRollups(
      { database, archive: noArchive },
      game.tenantId,
      ({ events }) => void progress.push(events),
    );
    assert.deepEqual(progress, [0, 2]);
    for (const { tenantId } of [game, other]) assert.deepEqual((await findDifferences(tenantId)).found, []);
  });
});
