import type { Database } from '../../../database/database.ts';
import {
  requireFewBuckets,
  resolveBuckets,
  type ChartBucket,
  type OpenRange,
  type TimeRange,
} from '../../../core/time-range.ts';
import { startOfSpan } from '../../../core/time-spans.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { countOpenBuckets, findRolledUpTo, listRolledUpBuckets, type TimelineRow } from './queries.ts';

/** Three hours of minutes, eight days of hours, or half a year of days. */
const MAX_BUCKETS = 192;
const DEFAULT_BUCKETS = 24;

interface SessionTimeline extends TimeRange {
  bucket: ChartBucket;
  items: TimelineRow[];
}

// Times have the format of toMicroseconds(), so they sort as strings.
const earlier = (one: string, other: string): string => (one < other ? one : other);
const later = (one: string, other: string): string => (one < other ? other : one);

/**
 * Counts logins and distinct players in each minute, hour or day. `to` defaults to now, and `from` to the first of the last 24 buckets. The
 * first bucket is the one that contains `from`. Throws `invalid_request` if the range is empty or has more than 192 buckets.
 */
export async function readTimeline(
  database: Database,
  tenantId: string,
  range: OpenRange & { bucket: ChartBucket },
): Promise<SessionTimeline> {
  const { bucket } = range;
  const { from: begin, to } = resolveBuckets(range, bucket, DEFAULT_BUCKETS);
  const from = startOfSpan(begin, bucket);
  requireFewBuckets({ from, to }, bucket, MAX_BUCKETS);

  const tenant = database.heavy.forTenant(tenantId);
  const rolledUpTo =
    bucket === 'minute' ? from : toMicroseconds((await findRolledUpTo(tenant, tenantId)) ?? from)!;
  const covered = earlier(startOfSpan(rolledUpTo, bucket), startOfSpan(to, bucket));
  const open = later(from, covered);
  // Minutes are not rolled up. Of hours and days, these are the current one and the one before, if a worker runs.
  const [rolledUp, others] = await Promise.all([
    open > from ? listRolledUpBuckets(tenant, tenantId, { span: bucket, from, to: open }) : [],
    open < to
      ? countOpenBuckets(tenant, tenantId, {
          span: bucket,
          from: open,
          ledgerFrom: later(open, earlier(rolledUpTo, startOfSpan(to, 'hour'))),
          to,
        })
      : [],
  ]);
  const items = [...rolledUp, ...others].map((row) => ({
    ...row,
    bucketStart: toMicroseconds(row.bucketStart)!,
  }));
  return { from, to, bucket, items };
}
