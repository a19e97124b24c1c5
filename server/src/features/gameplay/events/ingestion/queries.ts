import { columnOf } from '../../../../database/column-of.ts';
import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import { inSlices } from '../../../../core/concurrency/event-loop.ts';
import type { EventPosition } from '../event-position.ts';
import { eventTableSql, type EventScope } from '../event-row.ts';

/** Events per look-up. One turn of the event loop converts their arguments in 1 ms. */
const EVENTS_PER_LOOK_UP = 1_000;

/** Returns the events that are not stored yet, in their order. */
export async function withoutStored<Event extends EventPosition>(
  db: Querier,
  tenantId: string,
  scope: EventScope,
  events: readonly Event[],
): Promise<Event[]> {
  const missing: Event[] = [];
  for await (const slice of inSlices(tenantId, events, EVENTS_PER_LOOK_UP)) {
    const column = columnOf(slice);
    // OFFSET 0 keeps the planner from turning the look-up into a join, which may read all events of the tenant.
    const found = await db.rows<{ position: number }>(sql`
      SELECT (number - 1)::int AS position
      FROM unnest(${column('occurredAt')}::timestamptz[], ${column('idempotencyKey')}::text[])
        WITH ORDINALITY AS sent (occurred_at, idempotency_key, number)
      CROSS JOIN LATERAL (
        SELECT 1 FROM ${eventTableSql[scope]} event
        WHERE event.tenant_id = ${tenantId} AND event.occurred_at = sent.occurred_at
          AND event.idempotency_key = sent.idempotency_key
        OFFSET 0) stored`);
    const stored = new Set(found.map(({ position }) => position));
    for (const [position, event] of slice.entries()) if (!stored.has(position)) missing.push(event);
  }
  return missing;
}
