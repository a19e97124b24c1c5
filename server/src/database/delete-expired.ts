import { runSteps } from '../core/run-steps.ts';
import type { Querier } from './database.ts';
import { empty, sql, type Sql } from './sql.ts';

/** On a busy machine, a statement that deletes so many rows takes a second. */
export const DELETED_AT_ONCE = 20_000;

/**
 * Deletes the rows of a table that expired over a day ago, the oldest first: those of a tenant, or all. Each step is a transaction: a game
 * with 1,000,000 players at once leaves 120 million refresh tokens a day, and a statement of a job is cancelled after 10 minutes. The
 * table has a column `expires_at`, and an index by it. `key` is the column that names a row.
 */
export function deleteExpired(
  db: Querier,
  { table, key, tenantId }: { table: Sql; key: Sql; tenantId?: string },
): Promise<void> {
  const ofTenant = tenantId === undefined ? empty : sql`tenant_id = ${tenantId} AND`;
  return runSteps(DELETED_AT_ONCE, (limit) =>
    db.run(sql`
      DELETE FROM ${table} WHERE ${ofTenant} ${key} = ANY (ARRAY(
        SELECT ${key} FROM ${table} WHERE ${ofTenant} expires_at < now() - interval '1 day'
        ORDER BY expires_at LIMIT ${limit}))`),
  );
}
