import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';

/** Probes of a load balancer wait for about this time. */
const WITHIN_MS = 3_000;

/** Sends a query to the database. Throws unavailable if the database does not answer within 3 seconds. */
export async function checkDatabase(database: Database): Promise<void> {
  const answered = new AbortController();
  const answers = database.rows(sql`SELECT 1`).then(
    () => true,
    () => false,
  );
  const silence = wait(WITHIN_MS, false, { signal: answered.signal })
    // In a busy process the answer may have arrived and not been read.
    .then(() => nextTurn(false))
    .catch(() => false);
  const isAvailable = await Promise.race([answers, silence]);
  answered.abort();
  if (!isAvailable)
    throw new ProblemError('unavailable', {
      detail: 'The database does not answer. Retry after the number of seconds in Retry-After.',
      headers: { 'retry-after': '5' },
    });
}
