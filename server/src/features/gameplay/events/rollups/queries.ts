import type { Querier } from '../../../../database/database.ts';
import { empty, join, sql, type Sql } from '../../../../database/sql.ts';
import { unionArchived, type ArchivedGroup } from '../archive/reading/count-archived.ts';
import { eventTableSql, type EventScope } from '../event-row.ts';
import { countByMinute, FIGURES, ROLLUP_SPANS, type EventRollupSpan } from './counted-events.ts';
import { rollupStart } from './rollup-start.ts';

/** Adds {@link FIGURES} up. */
const SUMS = sql`sum(events)::bigint AS events, sum(value_count)::bigint AS value_count, sum(value_sum) AS value_sum,
         min(value_minimum) AS value_minimum, max(value_maximum) AS value_maximum`;

/** Identifies a roll-up of a tenant and a scope. */
const KEY = sql`span, is_total, starts_at, definition_id`;

/** True for each roll-up. With it, the index finds the times of both kinds. */
const TOTAL_OR_NOT = sql`is_total = ANY ('{false, true}')`;

/** Turns counts by minute into counts by each span, of each definition and of all of them. */
const bySpan = (minutes: Sql, columns: Sql): Sql => sql`
  SELECT ${columns} span, grouping(definition_id) = 1 AS is_total, date_trunc(span, starts_at, 'UTC') AS starts_at,
         coalesce(definition_id, '00000000-0000-0000-0000-000000000000') AS definition_id, ${SUMS}
  FROM (${minutes}) counted CROSS JOIN unnest(${ROLLUP_SPANS}::text[]) AS span
  GROUP BY ${columns} span, date_trunc(span, starts_at, 'UTC'), GROUPING SETS ((definition_id), ())`;

/**
 * Moves up to `limit` deltas of all tenants into their roll-ups, and returns their number. Needs the lock
 * `eventRollups`: two of these could wait for each other in a circle.
 */
export function moveDeltas(db: Querier, limit: number): Promise<number> {
  return db.count(sql`
    WITH moved AS MATERIALIZED (
      DELETE FROM event_rollup_deltas
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM event_rollup_deltas LIMIT ${limit}))
      RETURNING *),
    added AS (
      INSERT INTO event_rollups AS rollup (tenant_id, scope, ${KEY}, ${FIGURES})
      ${bySpan(sql`SELECT * FROM moved`, sql`tenant_id, scope,`)}
      ON CONFLICT (tenant_id, scope, ${KEY}) DO UPDATE SET
        events = rollup.events + excluded.events,
        value_count = rollup.value_count + excluded.value_count,
        value_sum = coalesce(rollup.value_sum + excluded.value_sum, rollup.value_sum, excluded.value_sum),
        value_minimum = least(rollup.value_minimum, excluded.value_minimum),
        value_maximum = greatest(rollup.value_maximum, excluded.value_maximum))
    SELECT count(*) FROM moved`);
}

/** One day of the events of a tenant. */
export interface CountedDay {
  tenantId: string;
  scope: EventScope;
  /** The start of the day in UTC. */
  day: string;
}

const endOf = (day: string): Sql => sql`${day}::timestamptz + interval '24 hours'`;

/** Selects the rows of a day, after the time from which roll-ups count. */
const ofDay = (column: Sql, { tenantId, scope, day }: CountedDay): Sql => sql`
  tenant_id = ${tenantId} AND ${column} >= greatest(${day}::timestamptz, ${rollupStart(scope)}) AND ${column} < ${endOf(day)}`;

/** The events of a day by minute: those of PostgreSQL, and those that were counted in the archive. */
const eventsOfDay = (day: CountedDay, archived: ArchivedGroup[]): Sql => sql`
  ${countByMinute(sql`${eventTableSql[day.scope]} WHERE ${ofDay(sql`occurred_at`, day)}`)}
  ${unionArchived(archived, sql`start, definition_id, events, values, sum, minimum, maximum`)}`;

const rollupsOfDay = (day: CountedDay): Sql => sql`
  scope = ${day.scope} AND span = ANY (${ROLLUP_SPANS}::text[]) AND ${TOTAL_OR_NOT} AND ${ofDay(sql`starts_at`, day)}`;

const deltasOfDay = (day: CountedDay): Sql => sql`scope = ${day.scope} AND ${ofDay(sql`starts_at`, day)}`;

/** Returns the first day from `from` on that has events, roll-ups or deltas. */
export async function findNextDay(
  db: Querier,
  tenantId: string,
  scope: EventScope,
  from: string,
): Promise<string | undefined> {
  const start = sql`greatest(${from}::timestamptz, ${rollupStart(scope)})`;
  const first = (table: Sql, condition: Sql): Sql => sql`
    (SELECT min(starts_at) FROM ${table}
     WHERE tenant_id = ${tenantId} AND scope = ${scope} ${condition} AND starts_at >= ${start})`;
  const found = [
    ...ROLLUP_SPANS.flatMap((span) =>
      [sql`is_total`, sql`NOT is_total`].map((kind) =>
        first(sql`event_rollups`, sql`AND span = ${span} AND ${kind}`),
      ),
    ),
    first(sql`event_rollup_deltas`, empty),
    sql`(SELECT min(occurred_at) FROM ${eventTableSql[scope]} WHERE tenant_id = ${tenantId} AND occurred_at >= ${start})`,
  ];
  const { day } = await db.one<{ day: string | null }>(
    sql`SELECT date_trunc('day', least(${join(found, ', ')}), 'UTC') AS day`,
  );
  return day ?? undefined;
}

/**
 * Counts a day again, and returns the number of its events. Needs the lock `eventRollups`: the roll-ups must not change between the two
 * statements. One snapshot has both the events of a transaction and its deltas, or neither. So the second statement deletes the deltas of
 * the events that it counts, and keeps those of all others.
 */
export async function recountDay(db: Querier, day: CountedDay, archived: ArchivedGroup[]): Promise<number> {
  await db.run(sql`DELETE FROM event_rollups WHERE ${rollupsOfDay(day)}`);
  return db.count(sql`
    WITH counted AS (DELETE FROM event_rollup_deltas WHERE ${deltasOfDay(day)}),
    added AS (
      INSERT INTO event_rollups (tenant_id, scope, ${KEY}, ${FIGURES})
      SELECT ${day.tenantId}::uuid, ${day.scope}::text, ${KEY}, ${FIGURES}
      FROM (${bySpan(eventsOfDay(day, archived), empty)}) counted
      RETURNING span, is_total, events)
    SELECT coalesce(sum(events), 0)::bigint AS count FROM added WHERE span = 'day' AND is_total`);
}

/** Counts that differ from those of the events. Sums hold decimal digits. */
export interface RollupDifference {
  span: EventRollupSpan;
  startsAt: string;
  /** If null, all definitions together. */
  definitionId: string | null;
  counted: RollupFigures;
  rolledUp: RollupFigures;
}

export interface RollupFigures {
  events: number;
  valueCount: number;
  valueSum: string | null;
  valueMinimum: string | null;
  valueMaximum: string | null;
}

/** Compares the roll-ups and deltas of a day with its events and the archived ones, in one snapshot. Returns the number of differences, and the first ones. */
export async function compareDay(
  db: Querier,
  day: CountedDay,
  archived: ArchivedGroup[],
  limit: number,
): Promise<{ count: number; differences: RollupDifference[] }> {
  const figures = (alias: Sql): Sql => sql`
    json_build_object('events', coalesce(${alias}.events, 0), 'valueCount', coalesce(${alias}.value_count, 0),
      'valueSum', ${alias}.value_sum::text, 'valueMinimum', ${alias}.value_minimum::text,
      'valueMaximum', ${alias}.value_maximum::text)`;
  const rows = await db.rows<RollupDifference & { count: number }>(sql`
    WITH counted AS MATERIALIZED (${bySpan(eventsOfDay(day, archived), empty)}),
    stored AS MATERIALIZED (
      SELECT ${KEY}, ${SUMS}
      FROM (
        SELECT ${KEY}, ${FIGURES} FROM event_rollups WHERE ${rollupsOfDay(day)}
        UNION ALL
        ${bySpan(sql`SELECT * FROM event_rollup_deltas WHERE ${deltasOfDay(day)}`, empty)}) part
      GROUP BY ${KEY} HAVING sum(events) <> 0)
    SELECT count(*) OVER () AS count, span, starts_at AS "startsAt", CASE WHEN NOT is_total THEN definition_id END AS "definitionId",
           ${figures(sql`counted`)} AS counted, ${figures(sql`stored`)} AS "rolledUp"
    FROM counted FULL JOIN stored USING (${KEY})
    WHERE (counted.events, counted.value_count, counted.value_sum, counted.value_minimum, counted.value_maximum)
      IS DISTINCT FROM (stored.events, stored.value_count, stored.value_sum, stored.value_minimum, stored.value_maximum)
    ORDER BY starts_at, span, is_total, definition_id
    LIMIT ${limit}`);
  return { count: rows[0]?.count ?? 0, differences: rows.map(({ count: _, ...difference }) => difference) };
}

/**
 * Deletes roll-ups of a tenant from before the time from which they count. Returns the number of deleted rows, at most `limit`.
 * Each span has a partition, and a ctid is unique in its partition only.
 */
export function deleteOldRollups(
  db: Querier,
  tenantId: string,
  { scope, span, limit }: { scope: EventScope; span: EventRollupSpan; limit: number },
): Promise<number> {
  return db.run(sql`
    DELETE FROM event_rollups WHERE span = ${span} AND ctid = ANY (ARRAY(
      SELECT ctid FROM event_rollups
      WHERE tenant_id = ${tenantId} AND scope = ${scope} AND span = ${span} AND ${TOTAL_OR_NOT}
        AND starts_at < ${rollupStart(scope)}
      LIMIT ${limit}))`);
}
