import type { Database } from '../../../database/database.ts';
import { emptyRange, invalidField, ProblemError } from '../../../core/problem.ts';
import { DAY_MS, type OpenRange } from '../../../core/time-range.ts';
import { TIMESTAMP_FORM, toMicroseconds } from '../../../core/timestamps.ts';
import {
  findQuota,
  listUsage,
  type Days,
  type UsageRow,
  type UsageSelection,
  type WorkspaceQuota,
} from './queries.ts';

const MAX_DAYS = 366;
/** The last day with a four-digit year. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** Reads how much of its plan a workspace has used in the current period. Throws not_found. */
export async function readQuota(database: Database, workspaceId: string): Promise<WorkspaceQuota> {
  const quota = await findQuota(database.forWorkspace(workspaceId), workspaceId);
  if (!quota) throw new ProblemError('not_found');
  return quota;
}

interface Usage extends Days {
  groupBy: UsageSelection['groupBy'];
  items: UsageRow[];
}

/**
 * Reads the billed usage of a workspace on all UTC days that overlap a range. `to` defaults to now, `from` to the first day of
 * the month of the last day. Throws invalid_request for a range that is empty, longer than 366 days, or ends after
 * 9999-12-31, and too_many_reads and busy.
 */
export async function readUsage(
  database: Database,
  workspaceId: string,
  range: OpenRange,
  selection: UsageSelection,
): Promise<Usage> {
  const days = wholeDays(range);
  const items = await listUsage(database.heavy.forWorkspace(workspaceId), workspaceId, days, selection);
  return { ...days, groupBy: selection.groupBy, items };
}

function wholeDays(range: OpenRange): Days {
  const end = range.to === undefined ? Date.now() : instantOf('to', range.to);
  const to = Math.ceil(end / DAY_MS) * DAY_MS;
  if (to > LAST_DAY) throw invalidField('to', `must not be later than ${dayOf(LAST_DAY)}`);
  const last = new Date(to - DAY_MS);
  const start =
    range.from === undefined
      ? Date.UTC(last.getUTCFullYear(), last.getUTCMonth())
      : instantOf('from', range.from);
  const from = Math.floor(start / DAY_MS) * DAY_MS;
  if (start >= end) throw emptyRange();
  if (to - from > MAX_DAYS * DAY_MS) throw invalidField('from', `must be at most ${MAX_DAYS} days before to`);
  return { from: dayOf(from), to: dayOf(to) };
}

/** Milliseconds since the epoch of an instant, or of the start of a day such as 2026-11-01. */
function instantOf(path: string, text: string): number {
  const instant = toMicroseconds(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant === undefined)
    throw invalidField(path, `must be a day, such as 2026-11-01, or ${TIMESTAMP_FORM}`);
  // Date.parse cuts the microseconds off.
  return Date.parse(instant) + Number(instant.slice(-4, -1)) / 1000;
}

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
