import type { Database } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';
import { within } from '../../../core/within.ts';

/** Probes of a load balancer wait for about this time. */
const WITHIN_MS = 3_000;

/**
 * Sends a query to the database. Throws unavailable if the database does not answer within 3 seconds, or if it is read-only, such as a
 * standby after a failover.
 */
export async function checkDatabase(database: Database): Promise<void> {
  const refusal = database
    .row<{ isReadOnly: boolean }>(
      sql`SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "isReadOnly"`,
    )
    .then(
      (row) => (row?.isReadOnly ? new Error('The database is read-only.') : null),
      (error: Error) => error,
    );
  const cause = await within(WITHIN_MS, refusal);
  if (cause === null) return;
  const detail =
    'The database does not answer, or is read-only. Retry after the number of seconds in Retry-After.';
  throw new ProblemError(
    'unavailable',
    { detail, retryAfter: 5 },
    { cause: cause ?? new Error('The database did not answer in time.') },
  );
}
