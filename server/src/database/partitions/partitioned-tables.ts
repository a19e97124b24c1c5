import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../core/operator-error.ts';
import { inTransaction } from '../client.ts';
import { isLockTimeout } from '../errors.ts';
import { PARTITION_CHANGE_SECONDS } from '../pool.ts';
import { advisoryLocks, unlock, waitForLock } from '../advisory-locks.ts';

/** The tables that are partitioned by month, and their partition key. */
export const partitionedTables = {
  match_events: 'occurred_at',
  player_events: 'occurred_at',
  login_ledger: 'received_at_db',
  logout_ledger: 'received_at_db',
} as const;

export type PartitionedTable = keyof typeof partitionedTables;

export const isPartitionedTable = (name: string): name is PartitionedTable =>
  Object.hasOwn(partitionedTables, name);

/**
 * How long a transaction waits for a lock. Other statements queue behind it, so it times out soon and retries.
 * 120 attempts take longer than the longest statement of a reader.
 */
const LOCK_TIMEOUT_MS = 250;
const LOCK_ATTEMPTS = 120;
const LOCK_PAUSE_MS = 500;
/** Each tenth attempt first waits until all large reads have ended. Two that overlap all the time would refuse each of the others. */
const ATTEMPTS_BESIDE_LARGE_READS = 10;

/**
 * SQL for the bounds of a partition: an array of its first time, or `-infinity`, and the time after its last one. NULL for a default
 * partition. The alias of its row of pg_class must be `partition`.
 */
export const PARTITION_BOUNDS = String.raw`regexp_match(pg_get_expr(partition.relpartbound, partition.oid), 'FROM \(''(.+)''\) TO \(''(.+)''\)')`;

/** The first day of the month of a time, or of a month after or before it, as `2026-11-01`. */
export function firstOfMonth(time: Date, monthsLater = 0): string {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater, 1))
    .toISOString()
    .slice(0, 10);
}

/** Runs work that changes partitions, on one process at a time. Needs the owner of the tables. */
export function withPartitionLock<Result>(
  owner: pg.Pool | pg.ClientBase,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  return withUtcConnection(owner, async (client) => {
    try {
      await waitForLock(client, 'partitions');
      return await work(client);
    } finally {
      await unlock(client, 'partitions').catch(() => {});
    }
  });
}

/** Runs work with a connection that shows and reads times in UTC: a new one of a pool, or that of the caller. */
export async function withUtcConnection<Result>(
  owner: pg.Pool | pg.ClientBase,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = owner instanceof pg.Pool ? await owner.connect() : owner;
  try {
    await client.query(`SET timezone = 'UTC'`);
    return await work(client);
  } finally {
    if (owner instanceof pg.Pool) (client as pg.PoolClient).release(true);
  }
}

/**
 * Runs a transaction that needs locks which others wait for. `prepare` runs once, without these locks. `work` is short, and begins with
 * the locks. It is repeated as long as it does not get them within {@link LOCK_TIMEOUT_MS}. Throws {@link OperatorError} after
 * {@link LOCK_ATTEMPTS} attempts.
 */
export async function withLocks(
  client: pg.ClientBase,
  table: string,
  work: () => Promise<void>,
  prepare: () => Promise<void> = async () => {},
): Promise<void> {
  const attempts = async (): Promise<void> => {
    await prepare();
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SAVEPOINT unlocked`);
    for (let attempt = 1; ; attempt++) {
      try {
        if (attempt % ATTEMPTS_BESIDE_LARGE_READS === 0) await stopLargeReads(client);
        return await work();
      } catch (error) {
        if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
        // Releases the locks of the attempt.
        await client.query('ROLLBACK TO unlocked');
        await sleep(LOCK_PAUSE_MS);
      }
    }
  };
  await inTransaction(client, attempts).catch((error: unknown) => {
    throw isLockTimeout(error)
      ? new OperatorError(`Other statements used ${table} at each attempt to lock it. Try again later.`)
      : error;
  });
}

/**
 * Waits until all large reads have ended. If one takes longer, a later attempt waits again. New ones wait until the transaction ends, or is
 * rolled back to its savepoint.
 */
async function stopLargeReads(client: pg.ClientBase): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '${PARTITION_CHANGE_SECONDS}s'`);
  await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.largeReads]);
  await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
}

/** Locks a table against all readers and writers. */
export async function lockTable(client: pg.ClientBase, table: string): Promise<void> {
  await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
}
