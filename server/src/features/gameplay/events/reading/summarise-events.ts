import { requireFewBuckets, resolveBuckets } from '../../../../core/time-range.ts';
import { countArchived } from '../archive/reading/count-archived.ts';
import { withMergedProfiles, type EventFilter } from '../event-filter.ts';
import type { EventSources } from '../event-sources.ts';
import { chooseCountPath, MAX_BUCKETS, timesToCount } from './queries.ts';
import { countEvents, type SummaryOptions } from './summary-sql.ts';

const DEFAULT_BUCKETS = 48;
/** The timeout of the read of archived events. */
const SUMMARY_SECONDS = 15;
/** An answer with so many rows has 3 MB. */
export const MAX_SUMMARY_ROWS = 20_000;

/**
 * Counts events by group and time bucket, archived ones included. `to` defaults to now, and `from` to the start of the first of the last
 * 48 buckets. Throws `invalid_request` if the range is empty or has more than 1,500 buckets.
 */
export async function summariseEvents(
  { database, archive }: EventSources,
  tenantId: string,
  filter: EventFilter,
  options: SummaryOptions,
) {
  const { bucket, groupBy } = options;
  const limits = resolveBuckets(filter, bucket, DEFAULT_BUCKETS);
  requireFewBuckets(limits, bucket, MAX_BUCKETS);
  const tenant = database.heavy.forTenant(tenantId);
  const items = await tenant.transaction(async (transaction) => {
    const range = { ...(await withMergedProfiles(transaction, tenantId, filter)), ...limits };
    const path = await chooseCountPath(transaction, tenantId, range);
    const archived = await countArchived(
      transaction,
      archive,
      tenantId,
      {
        filter: range,
        ranges: timesToCount(path, limits, bucket),
        bucket,
        byDefinition: groupBy !== 'time',
      },
      { seconds: SUMMARY_SECONDS },
    );
    return countEvents(transaction, tenantId, range, {
      ...options,
      path,
      archived,
      limit: MAX_SUMMARY_ROWS + 1,
    });
  });
  // The bucket of the additional row is incomplete. It is not the only one, because a tenant has at most 20,000 definitions.
  const leftOut = items[MAX_SUMMARY_ROWS]?.bucketStart;
  return {
    ...limits,
    bucket,
    items: items.filter(({ bucketStart }) => bucketStart !== leftOut),
    hasMore: leftOut !== undefined,
  };
}
