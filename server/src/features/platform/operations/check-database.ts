import type { Database } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';
import { within } from '../../../core/within.ts';

/** Probes of a load balancer wait for about this time. */
const WITHIN_MS = 3_000;

/** Sends a query to the database. Throws unavailable if the database does not answer within 3 seconds. */
export async function checkDatabase(database: Database): Promise<void> {
  const answers = database.rows(sql`SELECT 1`).then(
    () => true,
    () => false,
  );
  if (!(await within(WITHIN_MS, answers)))
    throw new ProblemError('unavailable', {
      detail: 'The database does not answer. Retry after the number of seconds in Retry-After.',
      retryAfter: 5,
    });
}
