/** A unit of time in UTC. */
type Span = 'minute' | 'hour' | 'day' | 'month';

/** A half-open part of a range. It consists of whole spans or, without `span`, it is shorter than each of them. */
export interface RangePart<Spans extends Span = Span> {
  span: Spans | undefined;
  from: string;
  to: string;
}

/**
 * Splits a range into the fewest parts, without gaps or overlaps, of spans that are sorted from the longest to the shortest. All times
 * have the format of toMicroseconds(), so that they sort as strings.
 */
export function splitBySpans<Spans extends Span>(
  spans: Spans[],
  from: string,
  to: string,
): RangePart<Spans>[] {
  if (from >= to) return [];
  const [span, ...finer] = spans;
  if (!span) return [{ span, from, to }];
  const end = startOfSpan(to, span);
  // Also keeps firstStartFrom() from times after the year 9999.
  const begin = end > from ? firstStartFrom(from, span) : end;
  if (begin >= end) return splitBySpans(finer, from, to);
  return [
    ...splitBySpans(finer, from, begin),
    { span, from: begin, to: end },
    ...splitBySpans(finer, end, to),
  ];
}

const PREFIX_LENGTHS = { minute: 16, hour: 13, day: 10, month: 7 };

/** Returns the start of the span that contains an instant. */
export function startOfSpan(instant: string, span: Span): string {
  const kept = PREFIX_LENGTHS[span];
  return instant.slice(0, kept) + '0000-01-01T00:00:00.000000Z'.slice(kept);
}

function firstStartFrom(instant: string, span: Span): string {
  const begin = startOfSpan(instant, span);
  return begin === instant ? instant : startOfNextSpan(begin, span);
}

/** Returns the start of the span after the one that begins at an instant. */
export function startOfNextSpan(begin: string, span: Span): string {
  const end = new Date(begin);
  if (span === 'minute') end.setUTCMinutes(end.getUTCMinutes() + 1);
  else if (span === 'hour') end.setUTCHours(end.getUTCHours() + 1);
  else if (span === 'day') end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1);
  return end.toISOString().replace('Z', '000Z');
}
