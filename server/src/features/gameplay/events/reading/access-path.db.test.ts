import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Querier } from '../../../../database/database.ts';
import { rowTypes } from '../../../../database/row-types.ts';
import { querier } from '../../../../database/scope.ts';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { explain, inRequestScope } from '../../../../testing/rows-read.ts';
import type { PlanNode } from '../../../../testing/statement-plans.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { selectDefinitions, type EventFilter } from '../event-filter.ts';
import { EVENT_SCOPES, type EventScope } from '../event-row.ts';
import { MAX_EXPORTED_BY_ACTOR } from './export-events.ts';
import { withoutStored } from '../ingestion/queries.ts';
import { chooseAccessPath, selectEvents } from './queries.ts';
import { findMinutes } from '../rollups/find-minutes.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const { tenantId } = tenant;
const [frequent, rare] = [randomUUID(), randomUUID()];
const matchSessionId = randomUUID();

await app.owner.query(`INSERT INTO players (id, created_at) SELECT unnest($1::uuid[]), now()`, [
  [frequent, rare],
]);
await app.owner.query(`INSERT INTO match_sessions (tenant_id, id, started_at) VALUES ($1, $2, now())`, [
  tenantId,
  matchSessionId,
]);
await app.owner.query(
  `INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at) VALUES ($1, $2, $3, $2, now())`,
  [tenantId, rare, matchSessionId],
);
/** Inserts events of both scopes: half of them of one frequent actor, the others of 1,000 actors. `occurredAt` and `key` are SQL. */
async function insertEvents(count: number, occurredAt: string, key: string): Promise<void> {
  const actor = `CASE WHEN number % 2 = 0 THEN $2 ELSE md5((number % 1000)::text)::uuid END`;
  for (const [table, columns, actors] of [
    ['player_events', 'player_id', actor],
    ['match_events', 'match_player_id, match_session_id', `${actor}, $2`],
  ])
    await app.owner.query(
      `INSERT INTO ${table} (occurred_at, created_at_gl, tenant_id, id, ${columns}, event_definitions_id, idempotency_key, row_hash)
       SELECT ${occurredAt}, now(), $1, $2, ${actors}, $2, ${key}, '' FROM generate_series(1, $3) number`,
      [tenantId, frequent, count],
    );
}
await insertEvents(120_000, 'now() - make_interval(secs => number)', 'number::text');
await app.owner.query('ANALYZE player_events, match_events');

/**
 * Returns a querier that runs statements as the tenant, and counts the events that PostgreSQL reads for them, and how often it searches
 * the roll-ups, and the indexes of the events.
 */
function createInspector(): {
  db: Querier;
  rowsRead(): number;
  rollupSearches(): number;
  eventSearches(): number;
} {
  let read = 0;
  let searches = 0;
  let eventSearches = 0;
  const db = querier((statement) =>
    inRequestScope(app.owner, { tenantId }, async (client) => {
      const plan = await explain(client, statement);
      read += sumOf(plan, eventsReadBy);
      eventSearches += sumOf(plan, (node) =>
        /_events_/.test(node['Relation Name'] ?? '') ? (node['Index Searches'] ?? 0) : 0,
      );
      searches += sumOf(plan, (node) =>
        node['Relation Name']?.startsWith('event_rollups') ? node['Actual Loops'] : 0,
      );
      const { text, values } = statement;
      return client.query({ text, values, types: rowTypes });
    }),
  );
  return {
    db,
    rowsRead: () => read,
    rollupSearches: () => searches,
    eventSearches: () => eventSearches,
  };
}

/** Adds up a number of each node of a plan. */
function sumOf(plan: PlanNode, numberOf: (node: PlanNode) => number): number {
  return (plan.Plans ?? []).reduce((sum, child) => sum + sumOf(child, numberOf), numberOf(plan));
}

/** The number of rows that a scan of an event partition reads. */
function eventsReadBy(node: PlanNode): number {
  return /_events_/.test(node['Relation Name'] ?? '')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
}

async function readPage(filter: EventFilter): Promise<number> {
  const { db, rowsRead } = createInspector();
  const path = await chooseAccessPath(db, tenantId, filter);
  await selectEvents(db, tenantId, filter, { after: undefined, direction: 'desc', limit: 51, path });
  return rowsRead();
}

describe('selectEvents', () => {
  test('reads no events of others for a player or match without events', async () => {
    for (const filter of [
      { scope: 'player', playerIds: [rare] },
      { scope: 'player', playerIds: [randomUUID()] },
      { scope: 'match', playerIds: [rare] },
      { scope: 'match', matchSessionId },
      { scope: 'match', matchSessionId, playerIds: [rare] },
    ] satisfies EventFilter[])
      assert.equal(await readPage(filter), 0, JSON.stringify(filter));
  });

  test('reads no events for a key or category that no definition has', async () => {
    for (const scope of EVENT_SCOPES)
      for (const filter of [{ eventKeys: ['unknown'] }, { eventCategories: ['one', 'other'] }])
        assert.equal(await readPage({ scope, ...filter }), 0, JSON.stringify(filter));
  });

  test('searches each month once for a player of many matches', async () => {
    const player = randomUUID();
    await app.owner.query('INSERT INTO players (id, created_at) VALUES ($1, now())', [player]);
    await app.owner.query(
      `WITH match AS (
         INSERT INTO match_sessions (tenant_id, id, started_at)
         SELECT $1, gen_random_uuid(), now() FROM generate_series(1, 1000) RETURNING id)
       INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at)
       SELECT $1, overlay(id::text PLACING 'ffff' FROM 1)::uuid, id, $2, now() FROM match`,
      [tenantId, player],
    );
    const { db, eventSearches } = createInspector();
    const filter: EventFilter = { scope: 'match', playerIds: [player] };
    assert.equal(await chooseAccessPath(db, tenantId, filter), 'actor');
    assert.ok(eventSearches() < 50, `${eventSearches()} searches`);
  });

  test('reads a page of a frequent player through the index on time', async () => {
    const { db } = createInspector();
    const filter: EventFilter = { scope: 'player', playerIds: [frequent] };
    assert.equal(await chooseAccessPath(db, tenantId, filter), 'time');
    assert.equal(await chooseAccessPath(db, tenantId, { scope: 'player' }), 'time');
    const page = createInspector();
    await selectEvents(page.db, tenantId, filter, {
      after: undefined,
      direction: 'desc',
      limit: 51,
      path: 'time',
    });
    assert.ok(page.rowsRead() < 1_000, `${page.rowsRead()} events were read for a page`);
  });
});

describe('an export', () => {
  test('reads no events of others after the last one of a player with 51,000', async () => {
    const player = randomUUID();
    await app.owner.query(
      `INSERT INTO player_events (occurred_at, created_at_gl, tenant_id, id, player_id, event_definitions_id, idempotency_key, row_hash)
       SELECT now() - interval '2 days' - make_interval(secs => number), now(), $1, $2, $2, $2, number || 'x', ''
       FROM generate_series(1, 51000) number`,
      [tenantId, player],
    );
    const filter: EventFilter = { scope: 'player', playerIds: [player] };
    const { db, rowsRead } = createInspector();
    const path = await chooseAccessPath(db, tenantId, filter, MAX_EXPORTED_BY_ACTOR);
    const counted = rowsRead();
    const after = {
      occurredAt: new Date(Date.now() - 2 * 86_400_000).toISOString(),
      idempotencyKey: '',
    };
    assert.deepEqual(
      await selectEvents(db, tenantId, filter, { after, direction: 'asc', limit: 5_000, path }),
      [],
    );
    assert.ok(rowsRead() - counted <= 51_000, `${rowsRead() - counted} events were read`);
  });
});

describe('findMinutes', () => {
  test('finds the minutes of a rare key, so that no others are read', async () => {
    const sentAt = [100, 50_000, 100_000].map((seconds) =>
      new Date(Date.now() - seconds * 1000).toISOString(),
    );
    const player = await arrangePlayer(app, tenant);
    const events = sentAt.map((occurredAt) => ({
      playerId: player.playerId,
      eventKey: 'rare',
      idempotencyKey: occurredAt,
      occurredAt,
    }));
    const sent = await app.http.post('/api/game/player-events', { events }, player.caller);
    assert.equal(sent.status, 201, sent.text);
    const { db, rowsRead } = createInspector();
    const filter: EventFilter = { scope: 'player', eventKeys: ['rare'] };
    const definitions = (await selectDefinitions(db, tenantId, filter))!;
    const { ranges, until } = await findMinutes(db, tenantId, {
      scope: 'player',
      definitions,
      from: undefined,
      before: undefined,
      events: 51,
    });
    const page = { after: undefined, direction: 'desc', limit: 51, path: 'time', ranges } as const;
    const found = await selectEvents(db, tenantId, filter, page);
    assert.deepEqual(
      found.map(({ idempotencyKey }) => idempotencyKey),
      sentAt,
    );
    assert.equal(until, undefined);
    // The other events are one second apart.
    assert.ok(rowsRead() <= 200, `${rowsRead()} events were read`);
  });

  test('searches the minutes of a definition only in hours with its events', async () => {
    const definitions = Array.from({ length: 20 }, () => randomUUID());
    for (const span of ['hour', 'minute'])
      await app.owner.query(
        `INSERT INTO event_rollups (tenant_id, scope, span, is_total, starts_at, definition_id, events, value_count)
         SELECT $1, 'player', $2, false, date_trunc('hour', now()) - number * interval '1 hour', id, 1, 0
         FROM unnest($3::uuid[]) WITH ORDINALITY AS definition (id, number)`,
        [tenantId, span, definitions],
      );
    const { db, rollupSearches } = createInspector();
    const { ranges } = await findMinutes(db, tenantId, {
      scope: 'player',
      definitions,
      from: undefined,
      before: undefined,
      events: 100,
    });
    assert.ok(ranges.length >= definitions.length);
    // One for each definition, and one for each minute of its hour.
    assert.ok(rollupSearches() <= definitions.length * 61, `${rollupSearches()} searches`);
  });
});

describe('withoutStored', () => {
  test('reads only the events that were sent', async () => {
    const stored = async (scope: EventScope) => {
      const { rows } = await app.owner.query(
        `SELECT to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "occurredAt", idempotency_key AS "idempotencyKey"
         FROM ${scope}_events WHERE tenant_id = $1 AND idempotency_key LIKE 'sent %'`,
        [tenantId],
      );
      return rows as { occurredAt: string; idempotencyKey: string }[];
    };
    // In the middle of a month, because the rows that a plan reports are rounded if they are in two partitions.
    const middle = `date_trunc('month', now(), 'UTC') + interval '14 days'`;
    await insertEvents(1_200, `${middle} + make_interval(secs => number)`, `'sent ' || number`);
    for (const scope of EVENT_SCOPES) {
      const sent = await stored(scope);
      assert.equal(sent.length, 1_200);
      const fresh = sent.map((one) => ({ ...one, idempotencyKey: `${one.idempotencyKey} new` }));
      const { db, rowsRead } = createInspector();
      assert.deepEqual(await withoutStored(db, tenantId, scope, [...sent, ...fresh]), fresh);
      assert.equal(rowsRead(), sent.length);
    }
  });
});
