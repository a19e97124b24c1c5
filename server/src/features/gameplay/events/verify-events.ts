import type { Database } from '../../../database/database.ts';
import { hashedInstant } from '../../../core/row-hash.ts';
import { verifyRows, type Verification } from '../../../core/verification.ts';
import { eventRowHash, eventTables, type EventScope, type HashedEventRow } from './event-row.ts';
import { selectHashedEvents } from './queries.ts';

/** Verifies the events of a tenant in PostgreSQL. A range selects events by the time of occurrence. */
export function verifyEvents(
  database: Database,
  scope: EventScope,
  verification: Verification,
): Promise<void> {
  const { tenantId, range } = verification;
  const tenant = database.forTenant(tenantId);
  return verifyRows(
    verification,
    eventTables[scope],
    (limit, last?: HashedEventRow) => selectHashedEvents(tenant, tenantId, { ...range, scope }, last, limit),
    ({ rowHash, createdAt, occurredAt, ...row }) => {
      const origin = { tenantId, createdAt: hashedInstant(createdAt) };
      return eventRowHash(scope, origin, { ...row, occurredAt: hashedInstant(occurredAt) }) === rowHash;
    },
  );
}
