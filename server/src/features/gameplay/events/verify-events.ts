import type { Database } from '../../../database/database.ts';
import { hashedInstant } from '../../../core/row-hash.ts';
import type { EventFilter } from './event-filter.ts';
import { positionOf, type EventPosition } from './event-position.ts';
import { eventRowHash, eventTables } from './event-row.ts';
import { selectHashedEvents } from './queries.ts';

const ROWS_PER_QUERY = 5_000;

/** A row that failed verification. */
export interface AlteredRow {
  table: string;
  tenantId: string;
  id: string;
  /** Absent if the hash of the row does not match its columns. */
  problem?: string;
}

/** Recomputes the hashes of a tenant's events and reports each mismatch. Returns the number of rows it checked. */
export async function verifyEvents(
  database: Database,
  tenantId: string,
  filter: EventFilter,
  report: (row: AlteredRow) => void,
): Promise<number> {
  const tenant = database.forTenant(tenantId);
  let after: EventPosition | undefined;
  let count = 0;
  while (true) {
    const rows = await selectHashedEvents(tenant, tenantId, filter, after, ROWS_PER_QUERY);
    for (const { rowHash, ...row } of rows) {
      const origin = { tenantId, createdAt: hashedInstant(row.createdAt) };
      const expected = eventRowHash(filter.scope, origin, {
        ...row,
        occurredAt: hashedInstant(row.occurredAt),
      });
      if (expected !== rowHash) report({ table: eventTables[filter.scope], tenantId, id: row.id });
    }
    count += rows.length;
    const last = rows.at(-1);
    if (rows.length < ROWS_PER_QUERY || !last) return count;
    after = positionOf(last);
  }
}
