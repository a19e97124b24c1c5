import type { Database } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { Problem } from '../../shared/problem.ts';

/** Asks the database for an answer. Throws unavailable where none comes. */
export async function checkDatabase(database: Database): Promise<void> {
  await database.rows(sql`SELECT 1`).catch(() => {
    throw new Problem('unavailable', {
      detail: 'The database does not answer. Retry after the number of seconds in Retry-After.',
      headers: { 'retry-after': '5' },
    });
  });
}
