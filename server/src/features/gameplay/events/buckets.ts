import { ProblemError } from '../../../core/problem.ts';
import type { Bucket } from '../../../database/time-buckets.ts';

const DAY_MS = 86_400_000;

/** The least length of each bucket of time. */
export const BUCKET_MS: Record<Bucket, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
};

export const MAX_BUCKETS = 1_500;

/** Throws `invalid_request` if a range has more than {@link MAX_BUCKETS} buckets. */
export function requireFewBuckets({ from, to }: { from: string; to: string }, bucket: Bucket): void {
  if (Date.parse(to) - Date.parse(from) > MAX_BUCKETS * BUCKET_MS[bucket])
    throw new ProblemError(
      'invalid_request',
      `The range has more than ${MAX_BUCKETS} buckets. Use a shorter range or wider buckets.`,
    );
}
