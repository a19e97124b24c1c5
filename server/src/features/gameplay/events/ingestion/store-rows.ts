import type pg from 'pg';
import { inSlices } from '../../../../core/concurrency/event-loop.ts';
import type { BillingContext } from '../../../../core/billing-context.ts';
import { now } from '../../../../core/timestamps.ts';
import { chargeText } from '../../../../database/charges.ts';
import { runCopy } from '../../../../database/copy.ts';
import type { Database } from '../../../../database/database.ts';
import {
  isDeadlock,
  isQuotaExceeded,
  isRefusedByNode,
  isUniqueViolation,
} from '../../../../database/errors.ts';
import { empty, join, raw, sql, unprepared, type Sql } from '../../../../database/sql.ts';
import {
  eventRowHash,
  eventTableSql,
  type BatchOrigin,
  type EventRow,
  type EventScope,
} from '../event-row.ts';
import { deltaText } from '../rollups/deltas.ts';
import { copyRows, copyStatement } from './copy-rows.ts';

/** The columns that all rows of a batch share. */
function originOf({ tenantId }: BillingContext): BatchOrigin {
  return { tenantId, createdAt: `${now().slice(0, -1)}000Z` };
}

/** Stores rows, counts them and charges for them. Throws an error for which {@link isRefusedCopy} is true if one of them is stored already. */
export async function storeByCopy(
  pool: pg.Pool,
  scope: EventScope,
  rows: EventRow[],
  billing: BillingContext,
): Promise<void> {
  const client = await pool.connect();
  let fatalError: Error | undefined;
  try {
    // PostgreSQL runs a multi-statement query in one transaction: it commits the rows, their deltas and their charge, or nothing.
    const text = `${copyStatement(scope)}; ${await accountingText(scope, rows, billing)}`;
    await runCopy(client, text, copyRows(scope, originOf(billing), rows));
  } catch (error) {
    // The connection stays usable after these errors. After any other error the pool closes it.
    const isUsable = isRefusedCopy(error) || isQuotaExceeded(error);
    if (!isUsable) fatalError = error as Error;
    throw error;
  } finally {
    client.release(fatalError);
  }
}

/** Whether PostgreSQL refused a COPY that may succeed without its stored rows: one was stored already, or two transactions waited for each other. */
export const isRefusedCopy = (error: unknown): boolean =>
  isUniqueViolation(error) || isDeadlock(error) || isRefusedByNode(error);

/** Rows per INSERT. One turn of the event loop converts their arguments in 10 ms. */
const ROWS_PER_INSERT = 1_000;

/** Stores the rows that are not stored yet, and counts and charges for these only. */
export async function storeByInsert(
  database: Database,
  scope: EventScope,
  rows: EventRow[],
  billing: BillingContext,
): Promise<EventRow[]> {
  const origin = originOf(billing);
  return database.forTenant(billing.tenantId).transaction(async (transaction) => {
    const added = new Set<string>();
    for await (const slice of inSlices(billing.tenantId, rows, ROWS_PER_INSERT))
      for (const { id } of await transaction.rows<{ id: string }>(insertion(scope, origin, slice)))
        added.add(id);
    const addedRows = rows.filter(({ id }) => added.has(id));
    if (addedRows.length > 0)
      await transaction.run(unprepared(raw(await accountingText(scope, addedRows, billing))));
    return addedRows;
  });
}

/** Returns the SQL text that counts and charges rows, in the transaction that stores them. */
async function accountingText(scope: EventScope, rows: EventRow[], billing: BillingContext): Promise<string> {
  return `${await deltaText(scope, billing.tenantId, rows)}; ${chargeText(billing, rows.length)}`;
}

/** Each row has its values in the statement, because Citus refuses `INSERT … SELECT` under row-level security. */
function insertion(scope: EventScope, origin: BatchOrigin, rows: readonly EventRow[]): Sql {
  const { tenantId, createdAt } = origin;
  const isMatch = scope === 'match';
  const values = rows.map(
    (row) => sql`(${row.occurredAt}, ${createdAt}, ${row.value}, ${tenantId}, ${row.id}, ${row.actorId},
      ${isMatch ? sql`${row.matchSessionId},` : empty} ${row.loginSessionId}, ${row.definitionId}, ${row.idempotencyKey},
      ${`\\x${eventRowHash(scope, origin, row)}`})`,
  );
  return unprepared(sql`
    INSERT INTO ${eventTableSql[scope]} (occurred_at, created_at_gl, value, tenant_id, id,
      ${isMatch ? sql`match_player_id, match_session_id` : sql`player_id`}, login_session_id, event_definitions_id,
      idempotency_key, row_hash)
    VALUES ${join(values)}
    ON CONFLICT DO NOTHING
    RETURNING id`);
}
