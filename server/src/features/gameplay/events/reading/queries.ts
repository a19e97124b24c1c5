import type { Querier } from '../../../../database/database.ts';
import { empty, sql, type Sql } from '../../../../database/sql.ts';
import type { Bucket, TimeRange } from '../../../../core/time-range.ts';
import { filterActors, postgresCondition, type EventFilter } from '../event-filter.ts';
import type { Direction, EventPosition } from '../event-position.ts';
import { eventTableSql, type EventScope } from '../event-row.ts';
import {
  countedEvents,
  isRolledUp,
  limitsOf,
  timesBesideRollups,
  type CountOptions,
  type RangeFilter,
} from '../rollups/counted-events.ts';

/** An event as the API returns it. `value` holds decimal digits. */
export interface StoredEvent {
  eventRecordId: string;
  eventDefinitionId: string;
  eventKey: string;
  eventValue: string | null;
  matchSessionId?: string;
  matchPlayerId?: string;
  playerId: string;
  loginSessionId: string | null;
  idempotencyKey: string;
  value: string | null;
  occurredAt: string;
  receivedAt: string;
  rowHash: string;
}

const actorColumns: Record<EventScope, Sql> = {
  match: sql`event.match_session_id AS "matchSessionId", event.match_player_id AS "matchPlayerId", roster.player_id AS "playerId"`,
  player: sql`event.player_id AS "playerId"`,
};

const rosterJoin: Record<EventScope, (tenantId: string) => Sql> = {
  match: (tenantId) => sql`CROSS JOIN LATERAL (
      SELECT player_id FROM match_players WHERE tenant_id = ${tenantId} AND id = event.match_player_id OFFSET 0) roster`,
  player: () => empty,
};

/** The index that a query uses: the one on time, or the one on the actor. */
export type AccessPath = 'time' | 'actor';

/**
 * PostgreSQL reads and sorts this many events of an actor in about 50 ms. If an actor has more events, an index scan in the
 * order of time soon finds a page of them.
 */
const MAX_EVENTS_BY_ACTOR = 50_000;

/**
 * Chooses the index for a filter. The planner of PostgreSQL guesses wrong: for a player without events it reads all events
 * of the tenant. An actor with more events than `most` is read in the order of time.
 */
export async function chooseAccessPath(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
  most = MAX_EVENTS_BY_ACTOR,
): Promise<AccessPath> {
  if (!filterActors(tenantId, filter)) return 'time';
  const count = await db.count(sql`
    SELECT count(*) FROM (
      SELECT 1 ${matchingEvents(tenantId, { ...filter, eventKeys: undefined, eventValues: undefined, eventCategories: undefined }, 'actor')}
      LIMIT ${most + 1}) event`);
  return count > most ? 'time' : 'actor';
}

/** The most buckets of time that an answer with counts may have. */
export const MAX_BUCKETS = 1_500;

/** The source of counts of events: roll-ups, or the events themselves by an index. */
export type CountPath = AccessPath | 'rollups';

/** Chooses the source of the counts of a filter. */
export async function chooseCountPath(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
): Promise<CountPath> {
  return isRolledUp(filter) ? 'rollups' : chooseAccessPath(db, tenantId, filter);
}

/** The times of a range whose archived events are counted one by one. Roll-ups have counted the others. */
export const timesToCount = (path: CountPath, range: TimeRange, bucket: Bucket | undefined): TimeRange[] =>
  path === 'rollups' ? timesBesideRollups(range, bucket) : [range];

/**
 * Returns the source of counts as `event`: its FROM and WHERE clauses, and its columns. Its rows are events, or parts that roll-ups have
 * counted.
 */
export function countSource(tenantId: string, filter: RangeFilter, path: CountPath, options: CountOptions) {
  return path === 'rollups'
    ? {
        from: sql`FROM (${countedEvents(tenantId, filter, options)}) event`,
        time: sql`event.starts_at`,
        definitionId: sql`event.definition_id`,
        events: sql`sum(event.events)`,
        figures: sql`sum(event.value_count) AS values, sum(event.value_sum) AS sum, min(event.value_minimum) AS minimum,
          max(event.value_maximum) AS maximum`,
      }
    : {
        from: matchingEvents(tenantId, filter, path),
        time: sql`event.occurred_at`,
        definitionId: sql`event.event_definitions_id`,
        events: sql`count(*)`,
        figures: sql`count(event.value) AS values, sum(event.value) AS sum, min(event.value) AS minimum,
          max(event.value) AS maximum`,
      };
}

const actorIds: Record<EventScope, Sql> = {
  match: sql`event.match_player_id`,
  player: sql`event.player_id`,
};

/** Returns the FROM and WHERE clauses that select the events of a filter as `event`. */
export function matchingEvents(tenantId: string, filter: EventFilter, path: AccessPath): Sql {
  const { scope } = filter;
  const condition = postgresCondition(tenantId, filter);
  const actors = filterActors(tenantId, filter);
  if (!actors) return sql`FROM ${eventTableSql[scope]} event WHERE ${condition}`;
  // IS TRUE keeps the planner from using the index of the other path.
  if (path === 'time')
    return sql`FROM ${eventTableSql[scope]} event
      WHERE ${condition} AND (${actorIds[scope]} IN (${actors})) IS TRUE`;
  // PostgreSQL 17 and newer pass each index once for an array. In a join, they searched each month for each actor: 240,000 searches for
  // the 20,000 matches of a player, instead of 150. OFFSET 0 hides the conditions of the caller from the index on time.
  return sql`FROM (
      SELECT * FROM ${eventTableSql[scope]} event
      WHERE ${actorIds[scope]} = ANY (ARRAY(${actors})) AND ${besideActor(tenantId)} AND (${condition}) IS TRUE OFFSET 0) event
    WHERE true`;
}

/**
 * The condition on the tenant of events that are found by their actor. PostgreSQL has no index for it, because it is an OR of unequal
 * parts. So only the index on the actor fits. Citus finds the shard by it, because each part names the tenant.
 */
const besideActor = (tenantId: string): Sql =>
  sql`(event.tenant_id = ${tenantId} OR (${tenantId} = event.tenant_id AND event.value IS NULL))`;

/**
 * Returns the events after a position, newest first (`desc`) or oldest first (`asc`). With `ranges`, it returns only those of these times,
 * and reads no others if the path is `time`.
 */
export function selectEvents(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
  page: {
    after: EventPosition | undefined;
    direction: Direction;
    limit: number;
    path: AccessPath;
    ranges?: TimeRange[] | undefined;
  },
): Promise<StoredEvent[]> {
  const { scope } = filter;
  const [isAfter, direction] = page.direction === 'desc' ? [sql`<`, sql`DESC`] : [sql`>`, sql`ASC`];
  const following = page.after
    ? sql`AND (event.occurred_at, event.idempotency_key)
          ${isAfter} (${page.after.occurredAt}::timestamptz, ${page.after.idempotencyKey}::text COLLATE "C")`
    : empty;
  const order = sql`event.occurred_at ${direction}, event.idempotency_key ${direction}`;
  const firstOf = (times: Sql): Sql => sql`
      SELECT event.* ${matchingEvents(tenantId, filter, page.path)} ${following} ${times}
      ORDER BY ${order}
      LIMIT ${page.limit}`;
  const events = page.ranges
    ? sql`
      SELECT event.*
      FROM unnest(${limitsOf(page.ranges)}) AS part (starts_at, ends_at)
      CROSS JOIN LATERAL (${firstOf(sql`AND event.occurred_at >= part.starts_at AND event.occurred_at < part.ends_at`)}) event
      ORDER BY ${order}
      LIMIT ${page.limit}`
    : firstOf(empty);
  // LIMIT comes before the joins, so that the index alone decides which rows are read.
  return db.rows(sql`
    WITH event AS MATERIALIZED (${events})
    SELECT event.id AS "eventRecordId", event.event_definitions_id AS "eventDefinitionId",
           definition.event_key AS "eventKey", definition.event_value AS "eventValue", ${actorColumns[scope]},
           event.login_session_id AS "loginSessionId", event.idempotency_key AS "idempotencyKey", event.value::text AS value,
           event.occurred_at AS "occurredAt", event.created_at_gl AS "receivedAt", encode(event.row_hash, 'hex') AS "rowHash"
    FROM event
    CROSS JOIN LATERAL (
      SELECT event_key, event_value FROM event_definitions
      WHERE tenant_id = ${tenantId} AND id = event.event_definitions_id OFFSET 0) definition
    ${rosterJoin[scope](tenantId)}
    ORDER BY ${order}`);
}
