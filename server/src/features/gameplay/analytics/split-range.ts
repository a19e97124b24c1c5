/** The length of a roll-up row. */
export type Span = 'hour' | 'day' | 'month';

/** A half-open part of a range. `span` names the roll-ups that cover the part; without it, ledger rows cover the part. */
export interface RangePart {
  span: Span | undefined;
  from: string;
  to: string;
}

const COARSE_FIRST: Span[] = ['month', 'day', 'hour'];

/**
 * Splits a range into the fewest parts, without gaps or overlaps. Whole months, days and hours cover the time before
 * `rolledUpTo`, which is a full hour. Ledger rows cover the rest. All times have the format of toMicroseconds(), so that
 * they sort as strings.
 */
export function splitRange(from: string, to: string, rolledUpTo: string | undefined): RangePart[] {
  const split = rolledUpTo === undefined || rolledUpTo < from ? from : rolledUpTo < to ? rolledUpTo : to;
  return [...fill(COARSE_FIRST, from, split), ...fill([], split, to)];
}

function fill(spans: Span[], from: string, to: string): RangePart[] {
  if (from >= to) return [];
  const [span, ...finer] = spans;
  if (!span) return [{ span, from, to }];
  const begin = ceil(from, span);
  const end = floor(to, span);
  if (begin >= end) return fill(finer, from, to);
  return [...fill(finer, from, begin), { span, from: begin, to: end }, ...fill(finer, end, to)];
}

/** Returns the start of the hour, day or month that contains an instant. */
export function floor(instant: string, span: Span): string {
  const kept = { hour: 13, day: 10, month: 7 }[span];
  return instant.slice(0, kept) + '0000-01-01T00:00:00.000000Z'.slice(kept);
}

function ceil(instant: string, span: Span): string {
  const begin = floor(instant, span);
  return begin === instant ? instant : next(begin, span);
}

/** Returns the start of the hour, day or month after the one that begins at an instant. */
export function next(begin: string, span: Span): string {
  const end = new Date(begin);
  if (span === 'hour') end.setUTCHours(end.getUTCHours() + 1);
  else if (span === 'day') end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1);
  return end.toISOString().replace('Z', '000Z');
}
