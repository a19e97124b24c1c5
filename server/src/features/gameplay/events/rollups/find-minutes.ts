import type { TimeRange } from '../../../../core/time-range.ts';
import { startOfSpan } from '../../../../core/time-spans.ts';
import type { Querier } from '../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import { beforeAll, type EventPosition } from '../event-position.ts';
import type { EventScope } from '../event-row.ts';
import { isOfDefinition, minuteOfDefinition } from './counted-events.ts';
import { findRollupStart, rollupStart } from './rollup-start.ts';

/** The times before a position in which events of some definitions are found. */
interface FoundTimes {
  /** Newest first. */
  ranges: TimeRange[];
  /** The position down to which the ranges have all events. If undefined, they have all events. */
  until: EventPosition | undefined;
}

/**
 * Finds the newest minutes before a position that have `events` events of some definitions together, archived ones included. For each
 * definition it reads up to `events` hours, and its minutes in those that are needed. If there are fewer events, it adds the time from
 * before the roll-ups.
 */
export async function findMinutes(
  db: Querier,
  tenantId: string,
  {
    scope,
    definitions,
    from,
    before,
    events,
  }: {
    scope: EventScope;
    definitions: string[];
    from: string | undefined;
    before: EventPosition | undefined;
    events: number;
  },
): Promise<FoundTimes> {
  const ofTenant = sql`tenant_id = ${tenantId} AND scope = ${scope}`;
  const since = sql`starts_at >= greatest(${rollupStart(scope)}, ${from ? startOfSpan(from, 'hour') : '-infinity'}::timestamptz)`;
  const hourOfPosition = sql`${before ? startOfSpan(before.occurredAt, 'hour') : 'infinity'}::timestamptz`;
  const position = sql`(${before?.occurredAt ?? 'infinity'}::timestamptz, ${before?.idempotencyKey ?? ''}::text COLLATE "C")`;
  // The events of the hour of the position may all be newer than it. So they are not counted, and one more hour is read.
  const hours = newestWith(
    events,
    sql`CASE WHEN starts_at = ${hourOfPosition} THEN 0 ELSE sum(events) END`,
    sql`
      unnest(${definitions}::uuid[]) AS definition (id)
      CROSS JOIN LATERAL (
        SELECT starts_at, events FROM event_rollups
        WHERE span = 'hour' AND ${isOfDefinition(ofTenant, sql`definition.id`)} AND ${since} AND starts_at <= ${hourOfPosition}
        ORDER BY starts_at DESC
        LIMIT ${events + 1}) hour`,
    sql`array_agg(definition.id) AS definitions,`,
  );
  const minutes = newestWith(
    events,
    sql`sum(events)`,
    sql`
      (SELECT minute.starts_at, minute.events FROM hour
      CROSS JOIN unnest(definitions) AS definition (id)
      CROSS JOIN generate_series(0, 59) AS number
      CROSS JOIN LATERAL (
        ${minuteOfDefinition(ofTenant, sql`hour.starts_at + number * interval '1 minute'`, sql`definition.id`)}) minute
      UNION ALL
      SELECT starts_at, events FROM event_rollup_deltas
      WHERE ${ofTenant} AND ${since} AND (definition_id = ANY (${definitions}::uuid[])) IS TRUE) minute
      WHERE (starts_at, '') < ${position}`,
  );
  const ranges = await db.rows<TimeRange & { events: number }>(sql`
    WITH hour AS MATERIALIZED (${hours})
    SELECT starts_at AS "from", starts_at + interval '1 minute' AS "to", events::int FROM (${minutes}) minute
    ORDER BY starts_at DESC`);
  const found = ranges.reduce((sum, minute) => sum + minute.events, 0);
  if (found >= events) return { ranges, until: beforeAll(ranges.at(-1)!.from) };
  const start = await findRollupStart(db, scope);
  const earlier = start === undefined ? [] : [{ from: '-infinity', to: `${start}T00:00:00Z` }];
  return { ranges: [...ranges, ...earlier], until: undefined };
}

/** Adds counts up by time, and returns the newest times that have `events` events together. `others` are further columns. */
const newestWith = (events: number, sum: Sql, counts: Sql, others: Sql = empty): Sql => sql`
  SELECT * FROM (
    SELECT starts_at, ${sum} AS events, ${others} sum(${sum}) OVER (ORDER BY starts_at DESC) - ${sum} AS newer
    FROM ${counts}
    GROUP BY starts_at) counted
  WHERE newer < ${events}`;
