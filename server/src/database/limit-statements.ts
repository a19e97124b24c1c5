import type { Querier } from './database.ts';
import { sql } from './sql.ts';

/** Lets PostgreSQL stop the statements of a transaction at a time limit, and when the server has closed the connection. */
export async function limitStatements(db: Querier, seconds: number): Promise<void> {
  await db.run(sql`
    SELECT set_config('statement_timeout', ${`${Math.ceil(seconds * 1000)}ms`}, true),
           set_config('client_connection_check_interval', '500ms', true)`);
}
