import { MAX_SERIES } from '../../app/theme';
import type { Series } from '../../components/Chart';
import { bucketTimes } from './bucket-times';
import { figures, type EventQueryAnswer, type EventSummary, type Figure } from './queries';

/** The number of events of each whole bucket of a summary. Buckets without events are zero. */
export function countsOf(summary: EventSummary, items = summary.items): number[] {
  const counts = new Map(items.map(({ bucketStart, count }) => [Date.parse(bucketStart) / 1000, count]));
  return bucketTimes(summary).map((time) => counts.get(time) ?? 0);
}

/**
 * The most frequent keys as lines, and all others as one line. `all` are the events of all keys, `frequent` those of up to
 * MAX_SERIES + 1 keys.
 */
export function topSeries(all: EventSummary, frequent: EventSummary): { times: number[]; series: Series[] } {
  const keys = [...new Set(frequent.items.map(({ eventKey }) => eventKey!))];
  const ranked = keys
    .map((name) => ({
      name,
      values: countsOf(
        all,
        frequent.items.filter(({ eventKey }) => eventKey === name),
      ),
    }))
    .toSorted((one, other) => total(other.values) - total(one.values));
  const times = bucketTimes(all);
  if (ranked.length <= MAX_SERIES) return { times, series: ranked };
  const own = ranked.slice(0, MAX_SERIES - 1);
  const others = countsOf(all).map((count, index) =>
    // Events that arrived between the two answers may be missing in the first.
    Math.max(count - total(own.map(({ values }) => values[index] ?? 0)), 0),
  );
  return { times, series: [...own, { name: 'All others', values: others }] };
}

/** A figure as one line, or no line if no event has it. The chart rounds sums above 2^53. */
export function figureSeries(
  answer: EventQueryAnswer & Pick<EventSummary, 'bucket'>,
  figure: Figure,
): { times: number[]; series: Series[] } {
  const known = answer.rows.filter((row) => row[figure] != null);
  const values = new Map(known.map((row) => [Date.parse(row.bucketStart!) / 1000, Number(row[figure])]));
  const times = bucketTimes(answer);
  const line = { name: figures[figure], values: times.map((time) => values.get(time) ?? 0) };
  return { times, series: known.length === 0 ? [] : [line] };
}

const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);
