import type pg from 'pg';
import { measurePool } from '../../../../database/pool-metrics.ts';
import { createBatcher } from '../../../../database/batcher.ts';
import { runCopy } from '../../../../database/copy.ts';
import { chargeText } from '../../../../database/charges.ts';
import type { Database } from '../../../../database/database.ts';
import {
  isDeadlock,
  isQuotaExceeded,
  isRefusedByNode,
  isUniqueViolation,
} from '../../../../database/errors.ts';
import { openPool } from '../../../../database/pool.ts';
import { empty, join, raw, sql, unprepared, type Sql } from '../../../../database/sql.ts';
import { inSlices } from '../../../../core/concurrency/event-loop.ts';
import { createFairSemaphore } from '../../../../core/concurrency/fair-semaphore.ts';
import { shareOf } from '../../../../core/share.ts';
import { billingGroup, type BillingContext } from '../../../../core/billing-context.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { statementChannel } from '../../../../core/statement-channel.ts';
import { now } from '../../../../core/timestamps.ts';
import { copyRows, copyStatement } from './copy-rows.ts';
import { comparePositions, withoutRepeats } from '../event-position.ts';
import { withoutStored } from './queries.ts';
import { deltaText } from '../rollups/deltas.ts';
import {
  eventRowHash,
  eventTables,
  eventTableSql,
  type BatchOrigin,
  type EventRow,
  type EventScope,
} from '../event-row.ts';

export interface EventWriter {
  /**
   * Stores the rows that are not stored yet and charges one unit for each. The rows are sorted by {@link comparePositions}, and are on disk
   * when the call returns.
   */
  write(scope: EventScope, rows: EventRow[], billing: BillingContext): Promise<AddedRows>;
  close(): Promise<void>;
}

/** The IDs of the rows that were not stored before, and possibly of others, or 'all'. */
type AddedRows = ReadonlySet<string> | 'all';

/** Fewer rows share a transaction with those of other requests. */
const MIN_ROWS_FOR_OWN_TRANSACTION = 20;

/** On two cores, more connections only wait for each other in PostgreSQL. Several processes divide them. */
const COPY_CONNECTIONS = 6;
const LEAST_COPY_CONNECTIONS = 2;
/** The share of the connections that large requests may use at once. So small ones never wait for their end. */
const SHARE_OF_OWN_TRANSACTIONS = 2 / 3;

/** Each transaction that stores rows of the batch after a look-up costs an attempt. All of its rows are stored at the next look-up. */
const MAX_ATTEMPTS = 10;

/**
 * Opens the writer. It stores rows with COPY, which is a third faster than INSERT but has no ON CONFLICT. If a row is stored already,
 * PostgreSQL refuses the whole COPY. Then the writer looks up which rows are stored, and copies the others
 * (docs/decisions/0003-copy-first.md). If the role of the writer does not bypass row-level security (see migration 0001), PostgreSQL
 * accepts no COPY from it, and the writer uses INSERT.
 */
export async function openEventWriter(
  database: Database,
  databaseUrl: string,
  processes = 1,
): Promise<EventWriter> {
  const poolSize = shareOf(COPY_CONNECTIONS, processes, LEAST_COPY_CONNECTIONS);
  const pool = openPool(databaseUrl, 'guildhall_event_writer', { poolSize, pipeline: false, work: 'events' });
  const ownTransactions = Math.floor(poolSize * SHARE_OF_OWN_TRANSACTIONS);
  const inOwnTransaction = createFairSemaphore({
    running: ownTransactions,
    runningPerOwner: ownTransactions,
  });
  measurePool('events', pool);
  const role = await database.row<{ canCopy: boolean }>(
    sql`SELECT rolbypassrls AS "canCopy" FROM pg_roles WHERE rolname = 'guildhall_event_writer'`,
  );
  const canCopy = role?.canCopy ?? false;

  /** Returns the rows that were not stored before. */
  const store = async ({ scope, rows, billing }: Write): Promise<EventRow[]> => {
    if (!canCopy) return insertRows(database, scope, rows, billing);
    let missing = rows;
    for (let attempt = 1; missing.length > 0; attempt++) {
      try {
        await statementChannel.tracePromise(() => copy(pool, scope, missing, billing), {
          text: `COPY ${eventTables[scope]}`,
        });
        return missing;
      } catch (error) {
        if (!isRefusedCopy(error)) throw error;
        const { tenantId } = billing;
        const before = missing.length;
        missing = await withoutStored(database.forTenant(tenantId), tenantId, scope, missing);
        // A node of Citus may refuse a COPY for a reason that remains. Its error has no code.
        const mayRepeat = missing.length < before || isDeadlock(error);
        if (attempt === MAX_ATTEMPTS || !mayRepeat)
          throw new ProblemError('busy', { retryAfter: 1 }, { cause: error });
      }
    }
    return missing;
  };

  const sharedWrites = createBatcher<Write, AddedRows>({
    groupOf: ({ scope, billing }) => `${scope} ${billingGroup(billing)}`,
    async run(writes) {
      const { scope, billing } = writes[0]!;
      // Of rows with the same deduplication key, the first one is stored.
      const rows = withoutRepeats(writes.flatMap((write) => write.rows).toSorted(comparePositions));
      const answer = idsOf(await store({ scope, rows, billing }));
      return writes.map(() => ({ answer }));
    },
  });

  const storeAlone = async (write: Write): Promise<AddedRows> => {
    const stored = await inOwnTransaction.run(write.billing.tenantId, () => store(write));
    return stored.length === write.rows.length ? 'all' : idsOf(stored);
  };

  return {
    async write(scope, rows, billing) {
      const write = { scope, rows, billing };
      const isShared = rows.length < MIN_ROWS_FOR_OWN_TRANSACTION;
      const added = await (isShared ? sharedWrites.submit(write) : storeAlone(write));
      if (added === 'all' || rows.some(({ id }) => added.has(id))) billing.chargedTransactions++;
      return added;
    },
    async close() {
      await sharedWrites.close();
      await pool.end();
    },
  };
}

/** The rows of one request, or of several requests on one key. */
interface Write {
  scope: EventScope;
  rows: EventRow[];
  billing: BillingContext;
}

const idsOf = (rows: EventRow[]): ReadonlySet<string> => new Set(rows.map(({ id }) => id));

/** The columns that all rows of a batch share. */
function originOf({ tenantId }: BillingContext): BatchOrigin {
  return { tenantId, createdAt: `${now().slice(0, -1)}000Z` };
}

async function copy(
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
const isRefusedCopy = (error: unknown): boolean =>
  isUniqueViolation(error) || isDeadlock(error) || isRefusedByNode(error);

/** Rows per INSERT. One turn of the event loop converts their arguments in 10 ms. */
const ROWS_PER_INSERT = 1_000;

/** Inserts the rows that are not stored yet, and charges for these only. */
async function insertRows(
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
