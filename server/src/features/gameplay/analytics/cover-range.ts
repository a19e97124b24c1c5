/** What the ledgers are counted by. */
export type Span = 'hour' | 'day' | 'month';

/** A half-open part of a range: whole hours, days or months that are rolled up, or, without a span, rows of the ledger. */
export interface Piece {
  span: Span | undefined;
  from: string;
  to: string;
}

const COARSE_FIRST: Span[] = ['month', 'day', 'hour'];

/**
 * Cuts a range into the fewest pieces that cover it, each instant once: what was rolled up (all before `rolledUpTo`, an hour)
 * by whole months, days and hours, the rest by ledger rows. Times are as toMicroseconds() gives them, so that they compare
 * as texts.
 */
export function coverRange(from: string, to: string, rolledUpTo: string | undefined): Piece[] {
  const split = rolledUpTo === undefined || rolledUpTo < from ? from : rolledUpTo < to ? rolledUpTo : to;
  return [...fill(COARSE_FIRST, from, split), ...fill([], split, to)];
}

function fill(spans: Span[], from: string, to: string): Piece[] {
  if (from >= to) return [];
  const [span, ...finer] = spans;
  if (!span) return [{ span, from, to }];
  const begin = ceil(from, span);
  const end = floor(to, span);
  if (begin >= end) return fill(finer, from, to);
  return [...fill(finer, from, begin), { span, from: begin, to: end }, ...fill(finer, end, to)];
}

/** Where the hour, day or month begins that holds an instant. */
function floor(instant: string, span: Span): string {
  const kept = { hour: 13, day: 10, month: 7 }[span];
  return instant.slice(0, kept) + '0000-01-01T00:00:00.000000Z'.slice(kept);
}

function ceil(instant: string, span: Span): string {
  const begin = floor(instant, span);
  if (begin === instant) return instant;
  const next = new Date(begin);
  if (span === 'hour') next.setUTCHours(next.getUTCHours() + 1);
  else if (span === 'day') next.setUTCDate(next.getUTCDate() + 1);
  else next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().replace('Z', '000Z');
}
