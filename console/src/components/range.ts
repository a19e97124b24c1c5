import { LOCALE } from './format.ts';

/** Time ranges that end now. The URL holds the name, so that a link keeps its meaning. */
export const ranges = {
  '1h': { label: 'Last hour', seconds: 3_600, bucket: 'minute' },
  '24h': { label: 'Last 24 hours', seconds: 86_400, bucket: 'hour' },
  '7d': { label: 'Last 7 days', seconds: 604_800, bucket: 'hour' },
  '30d': { label: 'Last 30 days', seconds: 2_592_000, bucket: 'day' },
} as const;

/** The length of a bucket of a chart. */
export const BUCKET_SECONDS = { minute: 60, hour: 3_600, day: 86_400 };

export type RangeName = keyof typeof ranges;

/** The time between two others, as the URL holds it: "2026-11-22T06:00Z/2026-11-22T07:30Z". */
export type Interval = `${string}/${string}`;

export const rangeChoices = Object.entries(ranges).map(([value, { label }]) => ({ value, label }));

const isName = (range: string): range is RangeName => Object.hasOwn(ranges, range);

export function toRange(name: string | undefined, fallback: RangeName): RangeName {
  return name !== undefined && isName(name) ? name : fallback;
}

export const isInterval = (range: string | undefined): range is Interval =>
  range !== undefined && parseInterval(range) !== undefined;

export const toInterval = (from: number, to: number): Interval => `${toMinute(from)}/${toMinute(to)}`;

const toMinute = (time: number): string => `${toIso(time).slice(0, 16)}Z`;

const toIso = (time: number): string => new Date(time).toISOString();

/** Without a zone, the same URL would be another time for a colleague. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/** The limits of an interval in milliseconds. */
function parseInterval(interval: string): { from: number; to: number } | undefined {
  const [from = NaN, to = NaN, ...others] = interval
    .split('/')
    .map((time) => (TIME.test(time) ? Date.parse(time) : NaN));
  return from < to && others.length === 0 ? { from, to } : undefined;
}

/** The limits of a list that shows a range. A list of a range that ends now has no end, and without a known range it has no limit. */
export function limitsOf(range = ''): { from?: string; to?: string } {
  if (isName(range)) return { from: periodOf(range).from };
  const interval = parseInterval(range);
  return interval ? { from: toIso(interval.from), to: toIso(interval.to) } : {};
}

/** The limits of a range that ends `periods` lengths before now. */
export function periodOf(name: RangeName, periods = 0): { from: string; to: string } {
  const length = ranges[name].seconds * 1000;
  const to = Date.now() - periods * length;
  return { from: toIso(to - length), to: toIso(to) };
}

/** An interval with more of them has wider buckets. */
const MOST_BUCKETS = 192;

/**
 * The limits of a chart and the length of its buckets. They are whole minutes, which the server counts without reading events one by
 * one. The buckets of an interval are whole too, unless the last one is not over: a part of a bucket would look like a drop. A named range
 * ends `periods` lengths before now.
 */
export function bucketsOf(
  range: RangeName | Interval,
  periods = 0,
): {
  from: string;
  to: string;
  bucket: keyof typeof BUCKET_SECONDS;
} {
  const now = Math.ceil(Date.now() / 60_000) * 60_000;
  const interval = isName(range) ? undefined : parseInterval(range);
  if (!interval) {
    const { seconds, bucket } = ranges[toRange(range, '1h')];
    const to = now - periods * seconds * 1000;
    return { from: toIso(to - seconds * 1000), to: toIso(to), bucket };
  }
  const seconds = (interval.to - interval.from) / 1000;
  const bucket =
    (['minute', 'hour'] as const).find((each) => seconds <= MOST_BUCKETS * BUCKET_SECONDS[each]) ?? 'day';
  const width = BUCKET_SECONDS[bucket] * 1000;
  const from = Math.floor(interval.from / width) * width;
  const to = Math.ceil(interval.to / width) * width;
  return { from: toIso(from), to: toIso(Math.max(Math.min(to, now), from + width)), bucket };
}

/** "Nov 22, 6:00 – 7:30 AM". The year is named if it is not this year. */
export function formatInterval(interval: Interval): string {
  const { from = 0, to = 0 } = parseInterval(interval) ?? {};
  const thisYear = new Date().getFullYear();
  const isThisYear = [from, to].every((time) => new Date(time).getFullYear() === thisYear);
  const format = new Intl.DateTimeFormat(LOCALE, {
    ...(!isThisYear && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  return format.formatRange(from, to);
}
