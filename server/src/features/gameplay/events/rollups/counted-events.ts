import type { TimeRange } from '../../../../core/time-range.ts';
import { splitBySpans } from '../../../../core/time-spans.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import { bucketStart } from '../../../../database/time-buckets.ts';
import { filterDefinitions, isOneOfDefinitions, type EventFilter } from '../event-filter.ts';
import { eventTableSql } from '../event-row.ts';
import { rollupStart } from './rollup-start.ts';

/** A filter with a range of time. */
export type RangeFilter = EventFilter & TimeRange;

export type EventRollupSpan = 'minute' | 'hour' | 'day';
export const ROLLUP_SPANS: EventRollupSpan[] = ['minute', 'hour', 'day'];

/** The spans of roll-ups that can be added up to a bucket, longest first. */
function spansWithin(bucket: string | undefined): EventRollupSpan[] {
  if (bucket === 'minute') return ['minute'];
  if (bucket === 'hour') return ['hour', 'minute'];
  return ['day', 'hour', 'minute'];
}

/** Whether roll-ups know the members that a filter compares: the definition and the time. */
export function isRolledUp({ playerIds, matchSessionId, minimumValue, maximumValue }: EventFilter): boolean {
  return [playerIds, matchSessionId, minimumValue, maximumValue].every((member) => member === undefined);
}

/** The times of a range that no roll-up of a bucket covers. Their events are counted one by one. */
export function timesBesideRollups({ from, to }: TimeRange, bucket: string | undefined): TimeRange[] {
  return splitBySpans(spansWithin(bucket), from, to).filter(({ span }) => span === undefined);
}

export const FIGURES = sql`events, value_count, value_sum, value_minimum, value_maximum`;

/** The limits of ranges as two arrays, for unnest(). */
export const limitsOf = (ranges: TimeRange[]): Sql =>
  sql`${ranges.map(({ from }) => from)}::timestamptz[], ${ranges.map(({ to }) => to)}::timestamptz[]`;

/**
 * The condition of the hours or days of a definition. They have an index by definition. IS TRUE keeps the planner from the other one, in
 * which it would read the whole range for each definition.
 */
export const isOfDefinition = (ofTenant: Sql, definitionId: Sql): Sql =>
  sql`definition_id = ${definitionId} AND is_total = false AND (${ofTenant}) IS TRUE`;

/** Returns a query for the roll-up of a definition in a minute, which the primary key finds. OFFSET 0 keeps the planner from joining. */
export const minuteOfDefinition = (ofTenant: Sql, minute: Sql, definitionId: Sql): Sql => sql`
  SELECT starts_at, definition_id, ${FIGURES} FROM event_rollups
  WHERE span = 'minute' AND ${ofTenant} AND is_total = false AND starts_at = ${minute} AND definition_id = ${definitionId}
  OFFSET 0`;

export interface CountOptions {
  bucket: string | undefined;
  byDefinition: boolean;
  /** A query for the IDs of those definitions of the filter that are counted. */
  only?: Sql | undefined;
}

/**
 * Returns a query for the events of a filter, already counted in parts: `starts_at`, `definition_id` and {@link FIGURES}. No part is
 * longer than the bucket. If the counts are not by definition, a part may have the events of all of them. It reads the roll-ups
 * of whole days, hours and minutes, the deltas that are not in them yet, and the events themselves only for the rest of a minute at
 * each end, and for times before the roll-ups start. One snapshot makes them exact.
 */
export function countedEvents(
  tenantId: string,
  filter: RangeFilter,
  { bucket, byDefinition, only }: CountOptions,
): Sql {
  const { scope, from, to } = filter;
  const parts = splitBySpans(spansWithin(bucket), from, to);
  const whole = parts.filter(({ span }) => span !== undefined);
  const edges = parts.filter(({ span }) => span === undefined);
  const wholeFrom = sql`${whole[0]?.from}::timestamptz`;
  const wholeTo = sql`${whole.at(-1)?.to}::timestamptz`;
  const definitions = only ?? filterDefinitions(tenantId, filter);
  // IS TRUE keeps it out of the index: before version 17, PostgreSQL would read the range once for each definition.
  const ofDefinitions = definitions
    ? sql`AND (${isOneOfDefinitions(sql`definition_id`, definitions)}) IS TRUE`
    : empty;
  // OFFSET 0 keeps the planner from joining: it would read all parts of the tenant.
  const rollups = (ranges: typeof whole, condition: Sql, definition = empty): Sql => sql`
    SELECT counted.*
    FROM unnest(${ranges.map(({ span }) => span)}::text[], ${limitsOf(ranges)}) AS part (span, starts_at, ends_at) ${definition}
    CROSS JOIN LATERAL (
      SELECT starts_at, definition_id, ${FIGURES} FROM event_rollups
      WHERE span = part.span AND starts_at >= greatest(part.starts_at, ${rollupStart(scope)}) AND starts_at < part.ends_at
        AND ${condition}
      OFFSET 0) counted`;
  const ofTenant = sql`tenant_id = ${tenantId} AND scope = ${scope}`;
  // For one definition, read each minute by its key. For several, scan the range.
  const ofMinutes = (ranges: typeof whole): Sql => sql`
    ${rollups(
      ranges,
      sql`${ofTenant} AND is_total = false AND cardinality(definition.ids) > 1 AND (definition_id = ANY (definition.ids)) IS TRUE`,
      sql`CROSS JOIN (SELECT ARRAY(${definitions}) AS ids OFFSET 0) definition`,
    )}
    UNION ALL
    SELECT counted.*
    FROM (SELECT ARRAY(${definitions}) AS ids OFFSET 0) definition
    CROSS JOIN unnest(${limitsOf(ranges)}) AS part (starts_at, ends_at)
    CROSS JOIN LATERAL generate_series(
      greatest(part.starts_at, ${rollupStart(scope)}), part.ends_at - interval '1 minute', interval '1 minute') AS minute (starts_at)
    CROSS JOIN LATERAL (${minuteOfDefinition(ofTenant, sql`minute.starts_at`, sql`definition.ids[1]`)}) counted
    WHERE cardinality(definition.ids) = 1`;
  const ofRollups = definitions
    ? sql`${ofMinutes(whole.filter(({ span }) => span === 'minute'))}
    UNION ALL ${rollups(
      whole.filter(({ span }) => span !== 'minute'),
      isOfDefinition(ofTenant, sql`definition.id`),
      sql`CROSS JOIN unnest(ARRAY(${definitions})) AS definition (id)`,
    )}`
    : rollups(whole, sql`${ofTenant} AND is_total = ${byDefinition ? sql`false` : sql`true`}`);
  return sql`
    ${ofRollups}
    UNION ALL
    SELECT starts_at, definition_id, ${FIGURES} FROM event_rollup_deltas
    WHERE ${ofTenant} AND starts_at >= greatest(${wholeFrom}, ${rollupStart(scope)}) AND starts_at < ${wholeTo}
      ${ofDefinitions}
    UNION ALL
    SELECT counted.* FROM (
      SELECT * FROM unnest(${limitsOf(edges)})
      UNION ALL SELECT ${wholeFrom}, least(${wholeTo}, ${rollupStart(scope)})) AS part (starts_at, ends_at)
    CROSS JOIN LATERAL (
      ${countByMinute(
        sql`${eventTableSql[scope]} WHERE tenant_id = ${tenantId} AND occurred_at >= part.starts_at AND occurred_at < part.ends_at
          ${definitions ? sql`AND ${isOneOfDefinitions(sql`event_definitions_id`, definitions)}` : empty}`,
      )}
      OFFSET 0) counted`;
}

/** Counts events themselves by minute and definition. `events` follows FROM. */
export function countByMinute(events: Sql): Sql {
  return sql`
    SELECT ${bucketStart('minute', sql`occurred_at`)} AS starts_at, event_definitions_id AS definition_id, count(*) AS events,
           count(value) AS value_count, sum(value) AS value_sum, min(value) AS value_minimum, max(value) AS value_maximum
    FROM ${events} GROUP BY 1, 2`;
}
