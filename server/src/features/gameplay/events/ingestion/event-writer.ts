import { measurePool } from '../../../../database/pool-metrics.ts';
import { createBatcher } from '../../../../database/batcher.ts';
import type { Database } from '../../../../database/database.ts';
import { isDeadlock } from '../../../../database/errors.ts';
import { openPool } from '../../../../database/pool.ts';
import { sql } from '../../../../database/sql.ts';
import { createFairSemaphore } from '../../../../core/concurrency/fair-semaphore.ts';
import { shareOf } from '../../../../core/share.ts';
import { billingGroup, type BillingContext } from '../../../../core/billing-context.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { statementChannel } from '../../../../core/statement-channel.ts';
import { comparePositions, withoutRepeats } from '../event-position.ts';
import { withoutStored } from './queries.ts';
import { eventTables, type EventRow, type EventScope } from '../event-row.ts';
import { isRefusedCopy, storeByCopy, storeByInsert } from './store-rows.ts';

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
    if (!canCopy) return storeByInsert(database, scope, rows, billing);
    let missing = rows;
    for (let attempt = 1; missing.length > 0; attempt++) {
      try {
        await statementChannel.tracePromise(() => storeByCopy(pool, scope, missing, billing), {
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
