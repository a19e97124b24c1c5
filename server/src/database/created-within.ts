import { firstIdAt } from '../core/ids.ts';
import { rangeInUtc, type OpenRange } from '../core/time-range.ts';
import { sql, type Sql } from './sql.ts';

/**
 * An id is generated shortly before or after the time of its row, with a clock that can differ from the clock of the database. So the
 * range of ids is wider than the range of times: the index of ids narrows the search, and the time decides.
 */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Conditions for rows of a half-open time range, by the columns of their ids and times. */
export function createdWithin(id: Sql, time: Sql, range: OpenRange): Sql[] {
  const { from, to } = rangeInUtc(range);
  const conditions: Sql[] = [];
  if (from) conditions.push(sql`${time} >= ${from} AND ${id} >= ${firstIdAt(from, -MAX_CLOCK_SKEW_SECONDS)}`);
  if (to) conditions.push(sql`${time} < ${to} AND ${id} < ${firstIdAt(to, MAX_CLOCK_SKEW_SECONDS)}`);
  return conditions;
}
