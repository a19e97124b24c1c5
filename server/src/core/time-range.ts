import { emptyRange, invalidField } from './problem.ts';
import { startOfSpan } from './time-spans.ts';
import { now, toMicroseconds } from './timestamps.ts';

/** From a time, which is included, to another one, which is not. Both have the format of toMicroseconds(). */
export interface TimeRange {
  from: string;
  to: string;
}

/** A range without one of its limits, or without both. */
export interface OpenRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** Converts the limits to the format of toMicroseconds(), because PostgreSQL refuses offsets of 16 hours and more. */
export function rangeInUtc({ from, to }: OpenRange): OpenRange {
  return { from: from && toMicroseconds(from), to: to && toMicroseconds(to) };
}

/**
 * Completes a range: `to` defaults to now, and `from` to `defaultMs` before `to`, but not to a time before 1970. Throws
 * `invalid_request` if the range is empty.
 */
export function resolveRange(range: OpenRange, defaultMs: number): TimeRange {
  const to = toMicroseconds(range.to ?? now())!;
  const earliest = new Date(Math.max(Date.parse(to) - defaultMs, 0));
  const from = toMicroseconds(range.from ?? earliest.toISOString())!;
  // Compared as texts, because Date has no microseconds.
  if (from >= to) throw emptyRange();
  return { from, to };
}

export const BUCKETS = ['minute', 'hour', 'day', 'week', 'month'] as const;

/** A span of time that begins with a minute, hour, day, Monday or month in UTC. */
export type Bucket = (typeof BUCKETS)[number];

/** The buckets of charts. */
export const CHART_BUCKETS = ['minute', 'hour', 'day'] as const;

export type ChartBucket = (typeof CHART_BUCKETS)[number];

export const DAY_MS = 86_400_000;

/** The least length of each bucket. */
const BUCKET_MS: Record<Bucket, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
};

/** Like {@link resolveRange}. `from` defaults to the start of the first of the last `count` buckets, of which the last may not be over. */
export function resolveBuckets(range: OpenRange, bucket: ChartBucket, count: number): TimeRange {
  const to = toMicroseconds(range.to ?? now())!;
  const begin = startOfSpan(to, bucket);
  const wholeBuckets = begin === to ? count : count - 1;
  const partOfLast = Date.parse(to) - Date.parse(begin);
  return resolveRange({ ...range, to }, partOfLast + wholeBuckets * BUCKET_MS[bucket]);
}

/** Throws `invalid_request` if a range may have more than `most` buckets. */
export function requireFewBuckets({ from, to }: TimeRange, bucket: Bucket, most: number): void {
  if (Date.parse(to) - Date.parse(from) > most * BUCKET_MS[bucket])
    throw invalidField(
      'from',
      `must be at most ${most} buckets before to`,
      `The range has more than ${most} buckets. Use a shorter range or wider buckets.`,
    );
}
