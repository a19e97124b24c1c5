import { OperatorError } from '../core/operator-error.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** Other differences between the clock of a process and that of the database are harmless, because its work counts whole months. */
const MOST_SECONDS_AHEAD = 86_400;

/**
 * Returns the time. Throws {@link OperatorError} if the clock of this process is ahead of that of the database, so that new
 * months are not taken for old ones. The message says what was not done.
 */
export async function readCheckedClock(database: Database, undone: string): Promise<Date> {
  const now = new Date();
  const { secondsAhead } = await database
    .forPlatform()
    .one<{ secondsAhead: number }>(
      sql`SELECT extract(epoch FROM ${now.toISOString()}::timestamptz - now())::float8 AS "secondsAhead"`,
    );
  if (secondsAhead > MOST_SECONDS_AHEAD)
    throw new OperatorError(
      `The clock of this machine is ${Math.floor(secondsAhead / 86_400)} days ahead of the clock of the database, so ${undone}. Correct the clock.`,
    );
  return now;
}
