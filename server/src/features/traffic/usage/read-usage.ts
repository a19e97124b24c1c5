import type { Database } from '../../../database/database.ts';
import { invalidField } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { listUsage, type Days, type UsageGroup, type UsageRow } from './queries.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
/** The last one that is written with a year of four digits. */
const LAST_DAY = Date.UTC(9999, 11, 31);

export interface Usage extends Days {
  groupBy: UsageGroup;
  items: UsageRow[];
}

/**
 * What a workspace was billed on the days in UTC that a range touches. Without `to` up to today, without `from` since the
 * month of the last day began. Throws invalid_request for a range that holds nothing, over 366 days, or the end of time.
 */
export async function readUsage(
  database: Database,
  workspaceId: string,
  range: { from?: string | undefined; to?: string | undefined },
  groupBy: UsageGroup,
): Promise<Usage> {
  const days = wholeDays(range);
  const items = await listUsage(database.forWorkspace(workspaceId), workspaceId, days, groupBy);
  return { ...days, groupBy, items };
}

function wholeDays(range: { from?: string | undefined; to?: string | undefined }): Days {
  const end = range.to === undefined ? Date.now() : instantOf('to', range.to);
  const to = Math.ceil(end / DAY_MS) * DAY_MS;
  if (to > LAST_DAY) throw invalidField('to', `must not be later than ${dayOf(LAST_DAY)}`);
  const last = new Date(to - DAY_MS);
  const start =
    range.from === undefined
      ? Date.UTC(last.getUTCFullYear(), last.getUTCMonth())
      : instantOf('from', range.from);
  const from = Math.floor(start / DAY_MS) * DAY_MS;
  if (start >= end)
    throw invalidField(
      'from',
      'must be earlier than to',
      'The range is empty: from must be earlier than to.',
    );
  if (to - from > MOST_DAYS * DAY_MS)
    throw invalidField('from', `must be at most ${MOST_DAYS} days before to`);
  return { from: dayOf(from), to: dayOf(to) };
}

/** The milliseconds of an instant, or of the beginning of a day such as 2026-11-01. */
function instantOf(path: string, text: string): number {
  const instant = toMicroseconds(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant === undefined)
    throw invalidField(path, 'must be a day (2026-11-01) or an instant with an offset');
  return Date.parse(instant);
}

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
