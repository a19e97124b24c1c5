import { runSteps } from '../core/concurrency/run-steps.ts';
import type { Querier, Scope } from './database.ts';
import { empty, join, sql, type Sql } from './sql.ts';

/** On a busy machine, a statement that deletes so many rows takes a second. */
const ROWS_AT_ONCE = 20_000;

/**
 * Deletes the rows of a table that expired over a day ago, the oldest first: those of a tenant, or all. Each step is a transaction: a game
 * with 1,000,000 players at once leaves 120 million refresh tokens a day, and a statement of a job is cancelled after 10 minutes. The
 * table has a column `expires_at`, and an index by it. `key` is the column that names a row.
 */
export function deleteExpired(
  db: Querier,
  { table, key, tenantId }: { table: Sql; key: Sql; tenantId?: string },
): Promise<void> {
  const ofTenant = within(tenantId);
  return runSteps(ROWS_AT_ONCE, (limit) =>
    db.run(sql`
      DELETE FROM ${table} WHERE ${ofTenant} ${key} = ANY (ARRAY(
        SELECT ${key} FROM ${table} WHERE ${ofTenant} expires_at < now() - interval '1 day'
        ORDER BY expires_at LIMIT ${limit}))`),
  );
}

/**
 * Deletes the rows of a table that meet a condition: those of a tenant, or all. It needs no index for the condition: it reads the table once,
 * in the order of its primary key, 20,000 rows in each step. Each step is a transaction. `key` has the columns of the primary key after the
 * tenant.
 */
export async function deleteInKeyOrder(
  scope: Scope,
  { table, key, tenantId, where }: { table: Sql; key: Sql; tenantId?: string; where: Sql },
): Promise<void> {
  const ofTenant = within(tenantId);
  const deleteAfter = (previous: Sql) =>
    scope.transaction(async (transaction) => {
      // Otherwise, a step may read the whole table: PostgreSQL cannot estimate how many rows a range of several columns has.
      await transaction.run(
        sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
      );
      const last = await transaction.row<Record<string, unknown>>(sql`
        SELECT ${key} FROM ${table} WHERE ${ofTenant} ${previous} ORDER BY ${key} OFFSET ${ROWS_AT_ONCE - 1} LIMIT 1`);
      const upTo = last ? sql`(${key}) <= (${join(Object.values(last))})` : sql`true`;
      await transaction.run(
        sql`DELETE FROM ${table} WHERE ${ofTenant} ${previous} AND ${upTo} AND (${where})`,
      );
      return last;
    });
  let last = await deleteAfter(sql`true`);
  while (last) last = await deleteAfter(sql`(${key}) > (${join(Object.values(last))})`);
}

function within(tenantId: string | undefined): Sql {
  return tenantId === undefined ? empty : sql`tenant_id = ${tenantId} AND`;
}
