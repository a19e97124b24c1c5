import type { Querier } from '../../database/database.ts';
import { empty, sql, type Sql } from '../../database/sql.ts';
import { conditionOf, type EventFilter, type EventPosition } from './event-filter.ts';
import type { EventScope } from './event-scope.ts';

/** An event as it is read back. `value` holds decimal digits. */
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

const rosterJoin: Record<EventScope, Sql> = {
  match: sql`JOIN match_players roster ON roster.tenant_id = event.tenant_id AND roster.id = event.match_player_id`,
  player: empty,
};

const tables: Record<EventScope, Sql> = { match: sql`match_events`, player: sql`player_events` };

/** The next events after a position in the order of time, newest first (`desc`) or oldest first (`asc`). */
export function selectEvents(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
  page: { after: EventPosition | undefined; direction: 'asc' | 'desc'; limit: number },
): Promise<StoredEvent[]> {
  const { scope } = filter;
  const descending = page.direction === 'desc';
  const { occurredAt, idempotencyKey } = page.after ?? {};
  const position = sql`(${occurredAt}::timestamptz, ${idempotencyKey}::text COLLATE "C")`;
  const comparison = descending
    ? sql`AND (event.occurred_at, event.idempotency_key) < ${position}`
    : sql`AND (event.occurred_at, event.idempotency_key) > ${position}`;
  const order = descending
    ? sql`event.occurred_at DESC, event.idempotency_key DESC`
    : sql`event.occurred_at, event.idempotency_key`;
  // The page is cut before anything is joined to it, so that the index alone decides which rows are read.
  return db.rows(sql`
    WITH event AS (
      SELECT * FROM ${tables[scope]} event
      WHERE ${conditionOf(tenantId, filter)} ${page.after ? comparison : empty}
      ORDER BY ${order}
      LIMIT ${page.limit})
    SELECT event.id AS "eventRecordId", event.event_definitions_id AS "eventDefinitionId",
           definition.event_key AS "eventKey", definition.event_value AS "eventValue", ${actorColumns[scope]},
           event.login_session_id AS "loginSessionId", event.idempotency_key AS "idempotencyKey", event.value::text AS value,
           event.occurred_at AS "occurredAt", event.created_at_gl AS "receivedAt", encode(event.row_hash, 'hex') AS "rowHash"
    FROM event
    JOIN event_definitions definition ON definition.tenant_id = event.tenant_id AND definition.id = event.event_definitions_id
    ${rosterJoin[scope]}
    ORDER BY ${order}`);
}

/** The places, from 0, of those of the events that are stored. */
export async function findStored(
  db: Querier,
  tenantId: string,
  scope: EventScope,
  events: EventPosition[],
): Promise<number[]> {
  const stored = await db.rows<{ position: number }>(sql`
    SELECT number - 1 AS position
    FROM unnest(${events.map(({ occurredAt }) => occurredAt)}::timestamptz[],
                ${events.map(({ idempotencyKey }) => idempotencyKey)}::text[])
      WITH ORDINALITY AS sent (occurred_at, idempotency_key, number)
    WHERE EXISTS (
      SELECT FROM ${tables[scope]} event
      WHERE event.tenant_id = ${tenantId} AND event.occurred_at = sent.occurred_at
        AND event.idempotency_key = sent.idempotency_key)`);
  return stored.map(({ position }) => position);
}

/** Whether a player was ever in a match of the tenant. */
export async function isInRosters(db: Querier, tenantId: string, playerIds: string[]): Promise<boolean> {
  const entry = await db.row(sql`
    SELECT FROM match_players WHERE tenant_id = ${tenantId} AND player_id = ANY(${playerIds}::uuid[]) LIMIT 1`);
  return entry !== undefined;
}

/** When the first event of a tenant from a time on happened, or the first of all; undefined where there is none. */
export async function findNextTime(
  db: Querier,
  tenantId: string,
  scope: EventScope,
  from: string | undefined,
): Promise<string | undefined> {
  const row = await db.row<{ occurredAt: string }>(sql`
    SELECT occurred_at AS "occurredAt" FROM ${tables[scope]} event
    WHERE tenant_id = ${tenantId} ${from === undefined ? empty : sql`AND occurred_at >= ${from}`}
    ORDER BY occurred_at LIMIT 1`);
  return row?.occurredAt;
}

export interface SummaryRow {
  bucketStart: string;
  eventDefinitionId: string;
  eventKey: string;
  eventValue: string | null;
  count: number;
}

/** How many events of each definition fell into each bucket of time. */
export function countEvents(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
  bucket: 'minute' | 'hour' | 'day',
  limit: number,
): Promise<SummaryRow[]> {
  return db.rows(sql`
    WITH bucket AS (
      SELECT date_trunc(${bucket}, event.occurred_at, 'UTC') AS start, event.event_definitions_id AS definition_id, count(*) AS count
      FROM ${tables[filter.scope]} event
      WHERE ${conditionOf(tenantId, filter)}
      GROUP BY 1, 2)
    SELECT bucket.start AS "bucketStart", definition.id AS "eventDefinitionId", definition.event_key AS "eventKey",
           definition.event_value AS "eventValue", bucket.count
    FROM bucket
    JOIN event_definitions definition ON definition.tenant_id = ${tenantId} AND definition.id = bucket.definition_id
    ORDER BY bucket.start, bucket.count DESC, definition.id
    LIMIT ${limit}`);
}

export interface HashedEventRow extends EventPosition {
  id: string;
  actorId: string;
  matchSessionId: string | null;
  loginSessionId: string | null;
  definitionId: string;
  value: string | null;
  createdAt: string;
  rowHash: string;
}

/** The columns that row hashes cover, oldest first, for recomputing them. */
export function selectHashedEvents(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
  after: EventPosition | undefined,
  limit: number,
): Promise<HashedEventRow[]> {
  const match = filter.scope === 'match';
  const actor = match
    ? sql`match_player_id AS "actorId", match_session_id AS "matchSessionId"`
    : sql`player_id AS "actorId", NULL AS "matchSessionId"`;
  const position = after
    ? sql`AND (occurred_at, idempotency_key) > (${after.occurredAt}::timestamptz, ${after.idempotencyKey}::text COLLATE "C")`
    : empty;
  return db.rows(sql`
    SELECT id, ${actor}, login_session_id AS "loginSessionId", event_definitions_id AS "definitionId", idempotency_key AS "idempotencyKey",
           value::text AS value, occurred_at AS "occurredAt", created_at_gl AS "createdAt", encode(row_hash, 'hex') AS "rowHash"
    FROM ${tables[filter.scope]} event
    WHERE ${conditionOf(tenantId, filter)} ${position}
    ORDER BY occurred_at, idempotency_key
    LIMIT ${limit}`);
}
