import { splitBySpans, type RangePart } from '../../../core/time-spans.ts';

/** The length of a roll-up row. */
export type SessionRollupSpan = 'hour' | 'day' | 'month';

const COARSE_FIRST: SessionRollupSpan[] = ['month', 'day', 'hour'];

/**
 * Splits a range into the fewest parts, without gaps or overlaps. Whole months, days and hours cover the time before
 * `rolledUpTo`, which is a full hour: the `span` of a part names its roll-ups. Ledger rows cover the rest, in parts without a span. All
 * times have the format of toMicroseconds(), so that they sort as strings.
 */
export function splitRange(
  from: string,
  to: string,
  rolledUpTo: string | undefined,
): RangePart<SessionRollupSpan>[] {
  const split = rolledUpTo === undefined || rolledUpTo < from ? from : rolledUpTo < to ? rolledUpTo : to;
  return [...splitBySpans(COARSE_FIRST, from, split), ...splitBySpans<SessionRollupSpan>([], split, to)];
}
