import { DatabaseError } from 'pg';
import type { Querier } from '../../../database/database.ts';
import { empty, join, sql, unprepared, type Sql } from '../../../database/sql.ts';
import { matchingEvents, type CountPath } from './queries.ts';
import { countedEvents, type RangeFilter } from './rollups/counted-events.ts';

export const DIMENSIONS = ['eventKey', 'eventValue', 'eventCategory', 'playerId', 'matchSessionId'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const BUCKETS = ['minute', 'hour', 'day', 'week', 'month'] as const;

/** How the events of a query are grouped. */
export interface Grouping {
  groupBy: Dimension[];
  bucket?: (typeof BUCKETS)[number] | undefined;
  /** Whether to count the players of each group. It needs more memory of PostgreSQL. */
  countPlayers: boolean;
}

/** One row of an answer. Sums and values hold decimal digits. */
export interface EventGroup extends Partial<Record<Dimension, string | null>> {
  bucketStart?: string;
  events: number;
  players?: number;
  /** Undefined if no event of the group has a value. */
  valueSum: string | null;
  valueAverage: number | null;
  valueMinimum: string | null;
  valueMaximum: string | null;
}

const dimensions: Record<Dimension, Sql> = {
  eventKey: sql`definition.event_key`,
  eventValue: sql`definition.event_value`,
  eventCategory: sql`definition.event_category`,
  playerId: sql`actor.player_id`,
  matchSessionId: sql`part.match_session_id`,
};

const names: Record<Dimension, Sql> = {
  eventKey: sql`"eventKey"`,
  eventValue: sql`"eventValue"`,
  eventCategory: sql`"eventCategory"`,
  playerId: sql`"playerId"`,
  matchSessionId: sql`"matchSessionId"`,
};

/**
 * Groups events in two steps. The first reads the events and groups them by the ids that they have themselves, so the second looks
 * up names of definitions and players once for each part, not for each event.
 */
export async function groupEvents(
  db: Querier,
  tenantId: string,
  options: { filter: RangeFilter; grouping: Grouping; path: CountPath; limit: number; seconds: number },
): Promise<EventGroup[]> {
  const { filter, grouping, path, limit, seconds } = options;
  const { groupBy, bucket, countPlayers } = grouping;
  const has = (dimension: Dimension): boolean => groupBy.includes(dimension);
  const needsDefinition = has('eventKey') || has('eventValue') || has('eventCategory');
  const needsActor = has('playerId') || countPlayers;
  const isMatch = filter.scope === 'match';

  const isRolledUp = path === 'rollups';
  const time = isRolledUp ? sql`event.starts_at` : sql`event.occurred_at`;
  const definitionId = isRolledUp ? sql`event.definition_id` : sql`event.event_definitions_id`;
  const parts: Sql[] = [
    ...(bucket ? [sql`date_trunc(${bucket}, ${time}, 'UTC') AS start`] : []),
    ...(needsDefinition ? [sql`${definitionId} AS definition_id`] : []),
    ...(needsActor
      ? [isMatch ? sql`event.match_player_id AS actor_id` : sql`event.player_id AS actor_id`]
      : []),
    ...(has('matchSessionId') ? [sql`event.match_session_id`] : []),
  ];
  const figures = isRolledUp
    ? sql`sum(event.events) AS events, sum(event.value_count) AS values, sum(event.value_sum) AS sum,
          min(event.value_minimum) AS minimum, max(event.value_maximum) AS maximum`
    : sql`count(*) AS events, count(event.value) AS values, sum(event.value) AS sum,
          min(event.value) AS minimum, max(event.value) AS maximum`;
  const source = isRolledUp
    ? sql`FROM (${countedEvents(tenantId, filter, bucket)}) event`
    : matchingEvents(tenantId, filter, path);

  const definitions = needsDefinition
    ? sql`CROSS JOIN LATERAL (
        SELECT event_key, event_value, event_category FROM event_definitions
        WHERE tenant_id = ${tenantId} AND id = part.definition_id OFFSET 0) definition`
    : empty;
  const rosters = isMatch
    ? sql`CROSS JOIN LATERAL (
        SELECT player_id FROM match_players WHERE tenant_id = ${tenantId} AND id = part.actor_id OFFSET 0) actor`
    : sql`CROSS JOIN LATERAL (SELECT part.actor_id AS player_id) actor`;
  const groups: Sql[] = [
    ...(bucket ? [sql`part.start AS "bucketStart"`] : []),
    ...groupBy.map((dimension) => sql`${dimensions[dimension]} AS ${names[dimension]}`),
  ];
  const order = [
    ...(bucket ? [sql`"bucketStart"`] : []),
    sql`events DESC`,
    ...groupBy.map((dimension) => names[dimension]),
  ];

  // The check lets PostgreSQL stop when the server has closed the connection, because the client has gone.
  await db.run(sql`
    SELECT set_config('statement_timeout', ${`${Math.ceil(seconds * 1000)}ms`}, true),
           set_config('client_connection_check_interval', '500ms', true)`);
  return db.rows(
    unprepared(sql`
    WITH part AS MATERIALIZED (
      SELECT ${leading(parts)} ${figures} ${source} ${groupByFirst(parts.length)})
    SELECT ${leading(groups)} coalesce(sum(part.events), 0)::bigint AS events,
           ${countPlayers ? sql`count(DISTINCT actor.player_id) AS players,` : empty}
           sum(part.sum)::text AS "valueSum", (sum(part.sum) / nullif(sum(part.values), 0))::float8 AS "valueAverage",
           min(part.minimum)::text AS "valueMinimum", max(part.maximum)::text AS "valueMaximum"
    FROM part ${definitions} ${needsActor ? rosters : empty}
    ${groupByFirst(groups.length)} ORDER BY ${join(order, ', ')} LIMIT ${limit}`),
  );
}

/** Expressions before other expressions of a SELECT. */
const leading = (expressions: Sql[]): Sql =>
  expressions.length === 0 ? empty : sql`${join(expressions, ', ')},`;

/** Groups by the first columns of a SELECT. */
const groupByFirst = (columns: number): Sql =>
  columns === 0 ? empty : sql`GROUP BY ${join(POSITIONS.slice(0, columns), ', ')}`;

/** The positions of columns in GROUP BY: a time bucket, three dimensions, and ids that they need. */
const POSITIONS: Sql[] = [sql`1`, sql`2`, sql`3`, sql`4`];

/** Whether PostgreSQL has stopped a statement at its time limit. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014';
}
