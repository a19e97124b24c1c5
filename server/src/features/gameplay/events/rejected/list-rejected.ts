import { rangeInUtc, type OpenRange } from '../../../../core/time-range.ts';
import type { Database } from '../../../../database/database.ts';
import type { RejectedEvents } from './collect-rejected.ts';
import { listRejectedGroups, type RejectedGroup } from './queries.ts';

export interface RejectedEventServices {
  database: Database;
  rejectedEvents: Pick<RejectedEvents, 'flush'>;
}

/**
 * Lists the groups of refused events of the last 8 days, the last seen first. With a range, the counts are those of the days in which
 * the group was seen in it.
 */
export async function listRejectedEvents(
  { database, rejectedEvents }: RejectedEventServices,
  tenantId: string,
  range: OpenRange,
): Promise<RejectedGroup[]> {
  await rejectedEvents.flush();
  return listRejectedGroups(database.forTenant(tenantId), tenantId, rangeInUtc(range));
}
