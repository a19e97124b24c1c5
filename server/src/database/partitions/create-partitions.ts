import type pg from 'pg';
import { distributePartition } from '../citus.ts';
import {
  firstOfMonth,
  lockTable,
  PARTITION_BOUNDS,
  partitionedTables,
  withLocks,
  withPartitionLock,
  withUtcConnection,
} from './partitioned-tables.ts';

const MONTHS_AHEAD = 3;

/** How many rows move under one lock. 10,000 rows take about 0.1 seconds. */
const ROWS_PER_STEP = 10_000;

/** A partition with the rows from `from` (inclusive) to `to` (exclusive). */
interface Partition {
  table: string;
  column: string;
  name: string;
  from: string;
  to: string;
}

/**
 * Creates missing monthly partitions from this month to three months ahead (`monthsAhead`), and one for all events before the first
 * month. Returns their names.
 * Rows in the default partition move in steps. Each step is a short transaction that moves the rows and the bound
 * together (docs/decisions/0039-partition-steps.md). Needs the owner of the tables.
 */
export async function createPartitions(
  owner: pg.Pool | pg.ClientBase,
  { today = new Date(), rowsPerStep = ROWS_PER_STEP, monthsAhead = MONTHS_AHEAD } = {},
): Promise<string[]> {
  const findMissing = async (client: pg.ClientBase): Promise<Partition[]> => {
    const missing: Partition[] = [];
    for (const [table, column] of Object.entries(partitionedTables))
      for (const range of await wantedRanges(client, table, column, today, monthsAhead))
        if ((await findProgress(client, range)) !== 'all') missing.push({ table, column, ...range });
    return missing;
  };
  // The archive job can hold the lock for more than a minute. A server start does not wait for it.
  if ((await withUtcConnection(owner, findMissing)).length === 0) return [];
  return withPartitionLock(owner, async (client) => {
    const missing = await findMissing(client);
    for (const partition of missing) await createPartition(client, partition, rowsPerStep);
    return missing.map(({ name }) => name);
  });
}

async function wantedRanges(
  client: pg.ClientBase,
  table: string,
  column: string,
  today: Date,
  monthsAhead: number,
): Promise<Omit<Partition, 'table' | 'column'>[]> {
  const startOf = (ahead: number) => firstOfMonth(today, ahead);
  const months = Array.from({ length: monthsAhead + 1 }, (_, ahead) => ({
    name: `${table}_${startOf(ahead).slice(0, 7).replace('-', '_')}`,
    from: startOf(ahead),
    to: startOf(ahead + 1),
  }));
  if (column !== 'occurred_at') return months;
  const past = `${table}_past`;
  const { rows } = await client.query(
    `SELECT max(bound[2]::timestamptz) FILTER (WHERE name = $2)::date::text AS "endOfPast",
            min(bound[1]::timestamptz) FILTER (WHERE name <> $2)::date::text AS first
     FROM pg_inherits JOIN pg_class partition ON oid = inhrelid,
          LATERAL (SELECT relname AS name, ${PARTITION_BOUNDS} AS bound) bounds
     WHERE inhparent = $1::regclass`,
    [table, past],
  );
  const { endOfPast, first } = rows[0] as Record<string, string | null>;
  const [to] = [first ?? months[0]!.from, months[0]!.from].toSorted();
  // The partition of the past is listed even if it exists, because a crash may have interrupted its creation.
  return [
    { name: past, from: '-infinity', to: to! },
    ...months.filter(({ from }) => !endOfPast || from >= endOfPast),
  ];
}

async function createPartition(
  client: pg.ClientBase,
  partition: Partition,
  rowsPerStep: number,
): Promise<void> {
  for (;;) {
    const progress = await findProgress(client, partition);
    if (progress === 'all') return;
    const upTo = await findStepEnd(client, partition, progress ?? partition.from, rowsPerStep);
    await moveStep(client, partition, progress !== undefined, upTo);
  }
}

/**
 * The upper bound that a partition has reached. Undefined if it does not exist, a time if a crash interrupted its
 * creation, and 'all' if it is complete.
 */
async function findProgress(
  client: pg.ClientBase,
  { name, to }: Pick<Partition, 'name' | 'to'>,
): Promise<string | undefined> {
  // to_regclass would use the stale cache of this session.
  const { rows } = await client.query(
    `SELECT bound AS progress, bound::timestamptz >= $2::timestamptz AS complete
     FROM (SELECT (${PARTITION_BOUNDS})[2] AS bound FROM pg_class partition
           WHERE relname = $1 AND relnamespace = 'public'::regnamespace) bounds`,
    [name, to],
  );
  if (!rows[0]) return undefined;
  return rows[0].complete ? 'all' : rows[0].progress;
}

/** The end of a step that moves about this many rows of the default partition. */
async function findStepEnd(
  client: pg.ClientBase,
  { table, column, to }: Partition,
  from: string,
  rowsPerStep: number,
): Promise<string> {
  const { rows } = await client.query(
    `WITH row AS (SELECT ${column} AS at FROM ${table}_default WHERE ${column} >= $1 AND ${column} < $2)
     SELECT coalesce(
       -- The first row that is left for the next step, unless all rows of this one have the same time.
       nullif((SELECT at FROM row ORDER BY at OFFSET $3 LIMIT 1), (SELECT min(at) FROM row)),
       CASE WHEN (SELECT count(*) FROM row) > $3
         THEN (SELECT min(at) FROM row WHERE at > (SELECT min(at) FROM row)) END,
       $2::timestamptz)::text AS end`,
    [from, to, rowsPerStep],
  );
  return rows[0].end;
}

/**
 * Moves the rows before a time into the partition, and moves its upper bound to that time, in one transaction. Readers
 * find each row once, and the deduplication key stays unique. The parent is locked, so that no writer inserts into the
 * default partition later.
 */
async function moveStep(
  client: pg.ClientBase,
  { table, column, name, from }: Partition,
  exists: boolean,
  upTo: string,
): Promise<void> {
  await withLocks(client, table, async () => {
    await lockTable(client, table);
    if (exists) await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name}`);
    else {
      await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`);
      await distributePartition(client, table, name);
    }
    // Only the parent has row-level security, so this statement sees every row.
    await client.query(
      `WITH moved AS (DELETE FROM ${table}_default WHERE ${column} >= '${from}' AND ${column} < '${upTo}' RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved`,
    );
    await client.query(
      `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${upTo}')`,
    );
  });
}
