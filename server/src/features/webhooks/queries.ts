import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { EventType } from './event-types.ts';

/**
 * The enabled endpoints that want an event. They cannot be deleted until the transaction ends, so that deliveries to them can
 * be written.
 */
export function listSubscribers(
  db: Querier,
  { type, workspaceId, tenantId = null }: { type: EventType; workspaceId: string; tenantId?: string | null },
): Promise<{ id: string }[]> {
  return db.rows(sql`
    SELECT id FROM webhook_endpoints
    WHERE (workspace_id = ${workspaceId} OR workspace_id IS NULL)
      AND (tenant_id = ${tenantId}::uuid OR tenant_id IS NULL)
      AND (${type} = ANY(event_types) OR event_types IS NULL)
      AND disabled_at IS NULL
    ORDER BY id FOR KEY SHARE`);
}

export async function insertDeliveries(
  db: Querier,
  deliveries: { id: string; endpointId: string }[],
  { type, body }: { type: EventType; body: string },
): Promise<void> {
  await db.run(sql`
    INSERT INTO webhook_deliveries (id, endpoint_id, event_type, body)
    SELECT id, endpoint_id, ${type}, ${body}
    FROM unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ endpointId }) => endpointId)}::uuid[])
      AS delivery (id, endpoint_id)`);
}
