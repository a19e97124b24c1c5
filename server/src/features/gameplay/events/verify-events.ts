import { inChunks } from '../../../core/in-chunks.ts';
import type { Database } from '../../../database/database.ts';
import { hashedInstant, type AlteredRow } from '../../../core/row-hash.ts';
import type { EventFilter } from './event-filter.ts';
import type { EventPosition } from './event-position.ts';
import { eventRowHash, eventTables } from './event-row.ts';
import { selectHashedEvents } from './queries.ts';

const CHUNK = 5_000;

/**
 * Recomputes the hashes of a tenant's events, and reports each mismatch. Calls `onRows` with the number of rows of each part that it has
 * checked.
 */
export async function verifyEvents(
  database: Database,
  tenantId: string,
  filter: EventFilter,
  report: (row: AlteredRow) => void,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  const tenant = database.forTenant(tenantId);
  const chunks = inChunks(CHUNK, (last?: EventPosition) =>
    selectHashedEvents(tenant, tenantId, filter, last, CHUNK),
  );
  for await (const rows of chunks) {
    for (const { rowHash, ...row } of rows) {
      const origin = { tenantId, createdAt: hashedInstant(row.createdAt) };
      const expected = eventRowHash(filter.scope, origin, {
        ...row,
        occurredAt: hashedInstant(row.occurredAt),
      });
      if (expected !== rowHash) report({ table: eventTables[filter.scope], tenantId, id: row.id });
    }
    onRows(rows.length);
  }
}
