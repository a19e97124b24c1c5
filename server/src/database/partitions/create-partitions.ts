import type pg from 'pg';
import { distributePartition } from '../citus.ts';
import { ownerQuerier } from '../scope.ts';
import { raw, sql } from '../sql.ts';
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

/** A partition that does not exist or is not complete. It has the rows from `from` (inclusive) to `to` (exclusive). */
interface MissingPartition {
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
  const listMissing = async (client: pg.ClientBase): Promise<MissingPartition[]> => {
    const missing: MissingPartition[] = [];
    for (const [table, column] of Object.entries(partitionedTables))
      for (const range of await listWantedRanges(client, table, column, today, monthsAhead))
        if ((await findProgress(client, range)) !== 'all') missing.push({ table, column, ...range });
    return missing;
  };
  // The archive job can hold the lock for more than a minute. A server start does not wait for it.
  if ((await withUtcConnection(owner, listMissing)).length === 0) return [];
  return withPartitionLock(owner, async (client) => {
    const missing = await listMissing(client);
    for (const partition of missing) await createPartition(client, partition, rowsPerStep);
    return missing.map(({ name }) => name);
  });
}

async function listWantedRanges(
  client: pg.ClientBase,
  table: string,
  column: string,
  today: Date,
  monthsAhead: number,
): Promise<Omit<MissingPartition, 'table' | 'column'>[]> {
  const startOf = (ahead: number) => firstOfMonth(today, ahead);
  const months = Array.from({ length: monthsAhead + 1 }, (_, ahead) => ({
    name: `${table}_${startOf(ahead).slice(0, 7).replace('-', '_')}`,
    from: startOf(ahead),
    to: startOf(ahead + 1),
  }));
  if (column !== 'occurred_at') return months;
  const past = `${table}_past`;
  const { endOfPast, first } = await ownerQuerier(client).one<
    Record<'endOfPast' | 'first', string | null>
  >(sql`
    SELECT max(bound[2]::timestamptz) FILTER (WHERE name = ${past})::date::text AS "endOfPast",
           min(bound[1]::timestamptz) FILTER (WHERE name <> ${past})::date::text AS first
    FROM pg_inherits JOIN pg_class partition ON oid = inhrelid,
         LATERAL (SELECT relname AS name, ${raw(PARTITION_BOUNDS)} AS bound) bounds
    WHERE inhparent = ${table}::regclass`);
  const [to] = [first ?? months[0]!.from, months[0]!.from].toSorted();
  // The partition of the past is listed even if it exists, because a crash may have interrupted its creation.
  return [
    { name: past, from: '-infinity', to: to! },
    ...months.filter(({ from }) => !endOfPast || from >= endOfPast),
  ];
}

async function createPartition(
  client: pg.ClientBase,
  partition: MissingPartition,
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
  { name, to }: Pick<MissingPartition, 'name' | 'to'>,
): Promise<string | undefined> {
  // to_regclass would use the stale cache of this session.
  const found = await ownerQuerier(client).row<{ progress: string; isComplete: boolean }>(sql`
    SELECT bound AS progress, bound::timestamptz >= ${to}::timestamptz AS "isComplete"
    FROM (SELECT (${raw(PARTITION_BOUNDS)})[2] AS bound FROM pg_class partition
          WHERE relname = ${name} AND relnamespace = 'public'::regnamespace) bounds`);
  return found?.isComplete ? 'all' : found?.progress;
}

/** The end of a step that moves about this many rows of the default partition. */
async function findStepEnd(
  client: pg.ClientBase,
  { table, column, to }: MissingPartition,
  from: string,
  rowsPerStep: number,
): Promise<string> {
  const time = raw(column);
  const { end } = await ownerQuerier(client).one<{ end: string }>(sql`
    WITH row AS (SELECT ${time} AS at FROM ${raw(`${table}_default`)} WHERE ${time} >= ${from} AND ${time} < ${to})
    SELECT coalesce(
      -- The first row that is left for the next step, unless all rows of this one have the same time.
      nullif((SELECT at FROM row ORDER BY at OFFSET ${rowsPerStep} LIMIT 1), (SELECT min(at) FROM row)),
      CASE WHEN (SELECT count(*) FROM row) > ${rowsPerStep}
        THEN (SELECT min(at) FROM row WHERE at > (SELECT min(at) FROM row)) END,
      ${to}::timestamptz)::text AS end`);
  return end;
}

/**
 * Moves the rows before a time into the partition, and moves its upper bound to that time, in one transaction. Readers
 * find each row once, and the deduplication key stays unique. The parent is locked, so that no writer inserts into the
 * default partition later.
 */
async function moveStep(
  client: pg.ClientBase,
  { table, column, name, from }: MissingPartition,
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
