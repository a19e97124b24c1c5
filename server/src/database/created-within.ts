import { firstIdAt } from '../core/ids.ts';
import { toMicroseconds } from '../core/timestamps.ts';
import { sql, type Sql } from './sql.ts';

/**
 * An id is generated shortly before or after the time of its row, with a clock that can differ from the clock of the database. So the
 * range of ids is wider than the range of times: the index of ids narrows the search, and the time decides.
 */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Conditions for rows of a half-open time range, by the columns of their ids and times. */
export function createdWithin(
  id: Sql,
  time: Sql,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Sql[] {
  // Converts to UTC, because PostgreSQL refuses offsets of 16 hours and more.
  const [begin, end] = [from && toMicroseconds(from), to && toMicroseconds(to)];
  const conditions: Sql[] = [];
  if (begin)
    conditions.push(sql`${time} >= ${begin} AND ${id} >= ${firstIdAt(begin, -MAX_CLOCK_SKEW_SECONDS)}`);
  if (end) conditions.push(sql`${time} < ${end} AND ${id} < ${firstIdAt(end, MAX_CLOCK_SKEW_SECONDS)}`);
  return conditions;
}
