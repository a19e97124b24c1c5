import type { Database } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';

/** Sends a query to the database. Throws unavailable if the database does not answer. */
export async function checkDatabase(database: Database): Promise<void> {
  await database.rows(sql`SELECT 1`).catch(() => {
    throw new ProblemError('unavailable', {
      detail: 'The database does not answer. Retry after the number of seconds in Retry-After.',
      headers: { 'retry-after': '5' },
    });
  });
}
