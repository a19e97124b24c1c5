import type { Querier } from '../../../database/database.ts';
import { empty, sql } from '../../../database/sql.ts';
import { postgresCondition, type EventFilter } from './event-filter.ts';
import type { EventPosition } from './event-position.ts';
import { eventTableSql, type HashedEventRow } from './event-row.ts';

/** Returns the columns that the row hash covers, oldest event first. */
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
    FROM ${eventTableSql[filter.scope]} event
    WHERE ${postgresCondition(tenantId, filter)} ${position}
    ORDER BY occurred_at, idempotency_key
    LIMIT ${limit}`);
}
