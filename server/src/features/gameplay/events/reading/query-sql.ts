import type { Querier } from '../../../../database/database.ts';
import { empty, join, sql, unprepared, type Sql } from '../../../../database/sql.ts';
import { bucketStart } from '../../../../database/time-buckets.ts';
import type { Bucket } from '../../../../core/time-range.ts';
import { unionArchived, type ArchivedGroup } from '../archive/reading/count-archived.ts';
import { countSource, type CountPath } from './queries.ts';
import type { RangeFilter } from '../rollups/counted-events.ts';

export const DIMENSIONS = ['eventKey', 'eventValue', 'eventCategory', 'playerId', 'matchSessionId'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** How the events of a query are grouped. */
export interface Grouping {
  groupBy: Dimension[];
  bucket?: Bucket | undefined;
  /** Whether to count the players of each group. It needs more memory of PostgreSQL. */
  countPlayers: boolean;
}

/** One row of an answer. Sums and values hold decimal digits. */
export interface EventGroup extends Partial<Record<Dimension, string | null>> {
  bucketStart?: string;
  events: number;
  players?: number;
  /** Null if no event of the group has a value. The other figures of values are then null too. */
  valueSum: string | null;
  valueAverage: number | null;
  valueMinimum: string | null;
  valueMaximum: string | null;
}

/** The columns of the dimensions in the second step. */
const dimensionColumns: Record<Dimension, Sql> = {
  eventKey: sql`definition.event_key AS "eventKey"`,
  eventValue: sql`definition.event_value AS "eventValue"`,
  eventCategory: sql`definition.event_category AS "eventCategory"`,
  playerId: sql`counted.player_id AS "playerId"`,
  matchSessionId: sql`counted.match_session_id AS "matchSessionId"`,
};

/** The ids by which events are grouped in the first step. */
export const idsOf = ({ groupBy, countPlayers }: Grouping) => ({
  byDefinition: groupBy.some((dimension) => ['eventKey', 'eventValue', 'eventCategory'].includes(dimension)),
  byPlayer: countPlayers || groupBy.includes('playerId'),
  byMatch: groupBy.includes('matchSessionId'),
});

interface GroupOptions {
  filter: RangeFilter;
  grouping: Grouping;
  path: CountPath;
  archived: ArchivedGroup[];
}

/**
 * Groups events in two steps. The first reads the events and groups them by the ids that they have themselves, so the second looks
 * up names of definitions and players once for each part, not for each event.
 */
export function groupEvents(
  db: Querier,
  tenantId: string,
  { limit, ...options }: GroupOptions & { limit: number },
): Promise<EventGroup[]> {
  const { groupBy, bucket, countPlayers } = options.grouping;
  const definitions = idsOf(options.grouping).byDefinition
    ? sql`CROSS JOIN LATERAL (
        SELECT event_key, event_value, event_category FROM event_definitions
        WHERE tenant_id = ${tenantId} AND id = counted.definition_id OFFSET 0) definition`
    : empty;
  const groups: Sql[] = [
    ...(bucket ? [sql`counted.start AS "bucketStart"`] : []),
    ...groupBy.map((dimension) => dimensionColumns[dimension]),
  ];
  // By time, then by the number of events.
  const order = POSITIONS.slice(0, groups.length).toSpliced(bucket ? 1 : 0, 0, sql`events DESC`);
  return db.rows(
    unprepared(sql`
    ${countedByIds(tenantId, options)}
    SELECT ${leading(groups)} coalesce(sum(counted.events), 0)::bigint AS events,
           ${countPlayers ? sql`count(DISTINCT counted.player_id) AS players,` : empty}
           sum(counted.sum)::text AS "valueSum", (sum(counted.sum) / nullif(sum(counted.values), 0))::float8 AS "valueAverage",
           min(counted.minimum)::text AS "valueMinimum", max(counted.maximum)::text AS "valueMaximum"
    FROM counted ${definitions}
    ${groupByFirst(groups.length)} ${groups.length > 0 ? sql`HAVING sum(counted.events) > 0` : empty} ORDER BY ${join(order, ', ')} LIMIT ${limit}`),
  );
}

/** Returns the first step, as the WITH clause of `counted`: the events by start of their bucket and by ids. */
function countedByIds(tenantId: string, { filter, grouping, path, archived }: GroupOptions): Sql {
  const { bucket } = grouping;
  const { byDefinition, byPlayer, byMatch } = idsOf(grouping);
  const isMatch = filter.scope === 'match';
  const { from, time, definitionId, events, figures } = countSource(tenantId, filter, path, {
    bucket,
    byDefinition,
  });
  const actorId = isMatch ? sql`event.match_player_id` : sql`event.player_id`;

  /** The columns of `counted`, and what they are computed from. */
  const columns: { name: Sql; source: Sql }[] = [
    ...(bucket ? [{ name: sql`start`, source: sql`${bucketStart(bucket, time)} AS start` }] : []),
    ...(byDefinition ? [{ name: sql`definition_id`, source: sql`${definitionId} AS definition_id` }] : []),
    ...(byPlayer ? [{ name: sql`player_id`, source: sql`${actorId} AS actor_id` }] : []),
    ...(byMatch ? [{ name: sql`match_session_id`, source: sql`event.match_session_id` }] : []),
  ];
  const names = leading(columns.map(({ name }) => name));
  const sources = leading(columns.map(({ source }) => source));

  const players = isMatch
    ? sql`CROSS JOIN LATERAL (
        SELECT player_id FROM match_players WHERE tenant_id = ${tenantId} AND id = part.actor_id OFFSET 0) actor`
    : sql`CROSS JOIN LATERAL (SELECT part.actor_id AS player_id) actor`;
  const counts = sql`${names} events, values, sum, minimum, maximum`;
  return sql`
    WITH part AS MATERIALIZED (
      SELECT ${sources} ${events} AS events, ${figures} ${from} ${groupByFirst(columns.length)}),
    counted AS (
      SELECT ${counts} FROM part ${byPlayer ? players : empty}
      ${unionArchived(archived, counts)})`;
}

/** Expressions before other expressions of a SELECT. */
const leading = (expressions: Sql[]): Sql =>
  expressions.length === 0 ? empty : sql`${join(expressions, ', ')},`;

/** Groups by the first columns of a SELECT. */
const groupByFirst = (columns: number): Sql =>
  columns === 0 ? empty : sql`GROUP BY ${join(POSITIONS.slice(0, columns), ', ')}`;

/** The positions of columns in GROUP BY and ORDER BY. There are at most four: a time bucket and three dimensions, or three ids. */
const POSITIONS: Sql[] = [sql`1`, sql`2`, sql`3`, sql`4`];
