import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import { arrangeTenant } from '../../../../testing/arrange.ts';
import { largestRead, type PlanNode } from '../../../../testing/statement-plans.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { countedEvents } from './counted-events.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 1 });
after(() => database.close());
const { tenantId } = await arrangeTenant(app);
const MINUTES = 60;
const DEFINITIONS = 100;
const range = {
  scope: 'player',
  from: '2026-01-01T00:00:00.000000Z',
  to: '2026-01-01T01:00:00.000000Z',
} as const;

await app.owner.query(
  `INSERT INTO event_definitions (tenant_id, id, event_key, event_scope)
   SELECT $1, md5('definition ' || number)::uuid, 'key ' || number, 'player' FROM generate_series(1, $2::int) number`,
  [tenantId, DEFINITIONS],
);
// Each definition occurs in each minute except that of its number.
await app.owner.query(
  `INSERT INTO event_rollups (tenant_id, scope, span, is_total, starts_at, definition_id, events, value_count)
   SELECT $1, 'player', 'minute', false, $2::timestamptz + minute * interval '1 minute', md5('definition ' || number)::uuid, number, 0
   FROM generate_series(0, $4::int - 1) minute, generate_series(1, $3::int) number WHERE minute <> number`,
  [tenantId, range.from, DEFINITIONS, MINUTES],
);

describe('the roll-ups of a chart by minute', () => {
  const counted = (...eventKeys: string[]) =>
    countedEvents(tenantId, { ...range, eventKeys }, { bucket: 'minute', byDefinition: true });
  const sumOf = (...eventKeys: string[]) =>
    database.forTenant(tenantId).one(sql`
      SELECT count(*)::int AS parts, sum(events)::int AS events FROM (${counted(...eventKeys)}) counted`);

  test('are read for one key only', async () => {
    assert.deepEqual(await sumOf('key 7'), { parts: MINUTES - 1, events: 7 * (MINUTES - 1) });
    const [row] = await database
      .forTenant(tenantId)
      .rows<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(sql`EXPLAIN (ANALYZE, FORMAT JSON) ${counted('key 7')}`);
    const { rows } = largestRead(row!['QUERY PLAN'][0]!.Plan);
    assert.ok(rows <= MINUTES, `${rows} rows`);
  });

  test('are read for several keys, and for none', async () => {
    const both = await sumOf('key 7', 'key 9');
    assert.deepEqual(both, { parts: 2 * (MINUTES - 1), events: 16 * (MINUTES - 1) });
    assert.deepEqual(await sumOf('unknown'), { parts: 0, events: null });
  });
});
