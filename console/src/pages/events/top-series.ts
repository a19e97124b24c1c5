import type { Series } from '../../components/Chart';
import type { EventSummary } from './queries';

/** More lines cannot be told apart. */
const MAX_SERIES = 5;
const BUCKET_SECONDS: Record<string, number> = { minute: 60, hour: 3_600, day: 86_400 };

/** The beginnings of the buckets of a summary, in seconds since 1970. */
function timesOf({ bucket, from, to }: EventSummary): number[] {
  const width = BUCKET_SECONDS[bucket]!;
  const times: number[] = [];
  for (
    let time = Math.floor(Date.parse(from) / 1000 / width) * width;
    time * 1000 < Date.parse(to);
    time += width
  )
    times.push(time);
  return times;
}

/** All events of each bucket. Buckets without events are zero. */
export function countsOf(summary: EventSummary): number[] {
  const counts = new Map(timesOf(summary).map((time) => [time, 0]));
  for (const { bucketStart, count } of summary.items) {
    const time = Date.parse(bucketStart) / 1000;
    counts.set(time, (counts.get(time) ?? 0) + count);
  }
  return [...counts.values()];
}

/** The most frequent events as lines, and all others as one line. Times without events are zero. */
export function topSeries(summary: EventSummary | undefined): { times: number[]; series: Series[] } {
  if (!summary) return { times: [], series: [] };
  const width = BUCKET_SECONDS[summary.bucket]!;
  const times = timesOf(summary);
  const first = times[0] ?? 0;

  const totals = new Map<string, number>();
  for (const { eventKey, count } of summary.items) totals.set(eventKey, (totals.get(eventKey) ?? 0) + count);
  const ranked = [...totals].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
  const own = ranked.length > MAX_SERIES ? ranked.slice(0, MAX_SERIES - 1) : ranked;
  const names = ranked.length > own.length ? [...own, 'All others'] : own;
  const series = names.map((name) => ({ name, values: times.map(() => 0) }));
  for (const { bucketStart, eventKey, count } of summary.items) {
    const position = own.indexOf(eventKey);
    const { values } = series[position === -1 ? own.length : position]!;
    const index = Math.floor((Date.parse(bucketStart) / 1000 - first) / width);
    if (values[index] !== undefined) values[index] += count;
  }
  return { times, series };
}
