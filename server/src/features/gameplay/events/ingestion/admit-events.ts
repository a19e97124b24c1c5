import type { Database } from '../../../../database/database.ts';
import { quotaExceeded, type Quota } from '../../../../core/quota.ts';
import type { EventPosition } from '../event-position.ts';
import type { EventBatch } from './ingest-result.ts';
import { withoutStored } from './queries.ts';

export interface QuotaServices {
  database: Database;
  /** Returns the used units and the limit of a plan with a hard stop, or undefined for other plans. */
  meter: { quota(workspaceId: string): Promise<Quota | undefined> };
}

/**
 * Rejects events that exceed the hard stop before anything is written. Events that are already stored cost nothing and are left
 * out. The transaction that charges checks the quota again, because other requests may use it in the meantime.
 */
export async function admitEvents<Event extends EventPosition>(
  { database, meter }: QuotaServices,
  { scope, billing }: EventBatch,
  events: Event[],
): Promise<Event[]> {
  const { tenantId, payerId, payerHasHardStop } = billing;
  const quota = payerHasHardStop && events.length > 0 ? await meter.quota(payerId) : undefined;
  if (!quota || quota.used + events.length <= quota.limit) return events;
  const fresh = await withoutStored(database.forTenant(tenantId), tenantId, scope, events);
  if (fresh.length > 0 && quota.used + fresh.length > quota.limit) throw quotaExceeded(quota);
  return fresh;
}
