import { splitBySpans, type RangePart as PartOf } from '../../../core/time-spans.ts';

/** The length of a roll-up row. */
export type Span = 'hour' | 'day' | 'month';

/** A half-open part of a range. `span` names the roll-ups that cover the part; without it, ledger rows cover the part. */
export type RangePart = PartOf<Span>;

const COARSE_FIRST: Span[] = ['month', 'day', 'hour'];

/**
 * Splits a range into the fewest parts, without gaps or overlaps. Whole months, days and hours cover the time before
 * `rolledUpTo`, which is a full hour. Ledger rows cover the rest. All times have the format of toMicroseconds(), so that
 * they sort as strings.
 */
export function splitRange(from: string, to: string, rolledUpTo: string | undefined): RangePart[] {
  const split = rolledUpTo === undefined || rolledUpTo < from ? from : rolledUpTo < to ? rolledUpTo : to;
  return [...splitBySpans(COARSE_FIRST, from, split), ...splitBySpans<Span>([], split, to)];
}
