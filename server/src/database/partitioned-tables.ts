import pg from 'pg';

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

/** The advisory lock that lets one process at a time create and drop partitions. The number is arbitrary. */
const PARTITION_LOCK = 7_118_002;

/**
 * How long a transaction waits for a lock. Other statements queue behind it, so it times out soon and retries.
 * 120 attempts take longer than the longest statement of a reader.
 */
const LOCK_TIMEOUT_MS = 250;
const LOCK_ATTEMPTS = 120;
const LOCK_PAUSE_MS = 500;

/** The first day of the month of a time, or of a month after or before it, as `2026-11-01`. */
export function firstOfMonth(time: Date, monthsLater = 0): string {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater, 1))
    .toISOString()
    .slice(0, 10);
}

/** Runs work that changes partitions, on one process at a time. Needs the owner of the tables. */
export function withPartitionLock<Result>(
  owner: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return withUtcConnection(owner, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [PARTITION_LOCK]);
    const result = await work(client);
    await client.query('SELECT pg_advisory_unlock($1)', [PARTITION_LOCK]);
    return result;
  });
}

/** Runs work with a connection that shows and reads times in UTC. */
export async function withUtcConnection<Result>(
  owner: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await owner.connect();
  let broken: Error | undefined;
  try {
    await client.query(`SET timezone = 'UTC'`);
    return await work(client);
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    // Closing a failed connection releases its advisory lock.
    client.release(broken ?? true);
  }
}

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55P03';

/**
 * Runs a short transaction while nobody else reads or writes a table. It repeats the transaction as long as it does not get its
 * locks within {@link LOCK_TIMEOUT_MS}. `prepare` runs in the transaction before the table is locked.
 */
export async function withTableLock(
  client: pg.ClientBase,
  table: string,
  work: () => Promise<void>,
  prepare: () => Promise<void> = async () => {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await prepare();
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  }
}
