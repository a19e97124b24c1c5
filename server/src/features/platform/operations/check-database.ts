import type { Database, Querier } from '../../../database/database.ts';
import { ReadOnlyError } from '../../../database/errors.ts';
import { sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';
import { within } from '../../../core/concurrency/within.ts';

/** Probes of a load balancer wait for about this time. */
const WITHIN_MS = 3_000;

/** Anybody may ask whether the server is ready. So it asks the database at most 4 times per second. */
const CHECK_EVERY_MS = 250;

/** Creates a check of the database that all callers within 250 ms share. It throws the error of {@link checkDatabase}. */
export function createDatabaseCheck(
  database: Database,
  now: () => number = performance.now.bind(performance),
): () => Promise<void> {
  let began = -Infinity;
  let check: Promise<void>;
  return () => {
    // Later callers do not wait for a check that has already waited longer than this. Its result could be up to 3 seconds old.
    if (now() - began >= CHECK_EVERY_MS) {
      began = now();
      check = checkDatabase(database);
    }
    return check;
  };
}

/**
 * Sends a query to the database. Throws unavailable if the database does not answer within 3 seconds, or if it is read-only, such as a
 * standby after a failover.
 */
async function checkDatabase(database: Database): Promise<void> {
  // The error closes the connection. Otherwise the checks would keep a connection to a standby open.
  const refusal = database.transaction(requireWritable).then(
    () => null,
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

async function requireWritable(db: Querier): Promise<void> {
  const isReadOnly = await db.exists(
    sql`SELECT 1 WHERE pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean`,
  );
  if (isReadOnly) throw new ReadOnlyError();
}
