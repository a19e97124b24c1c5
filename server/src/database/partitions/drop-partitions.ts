import type pg from 'pg';
import { ownerQuerier } from '../scope.ts';
import { raw, sql, type Sql } from '../sql.ts';
import { listPartitions, type Partition } from './list-partitions.ts';
import {
  lockTable,
  partitionedTables,
  withLocks,
  withPartitionLock,
  type PartitionedTable,
} from './partitioned-tables.ts';

/** The prefix of tables that are no partitions any more, and whose files are about to be deleted. */
const DROPPED = 'dropped_';

/** Lists the partitions that have only rows from before a day, the first of a month. */
export async function listPartitionsBefore(
  db: pg.Pool | pg.ClientBase,
  table: PartitionedTable,
  before: string,
): Promise<Partition[]> {
  const candidates = (await listPartitions(db)).filter(
    (partition) => partition.table === table && partition.to !== null && partition.to <= before,
  );
  const past = candidates.find(({ kind }) => kind === 'past');
  const months = candidates.filter(({ kind }) => kind === 'month');
  if (!past || months.length > 0) return candidates;
  // An empty partition of the past is not dropped again: the previous drop created it in place of the months.
  return (await ownerQuerier(db).exists(sql`SELECT FROM ${raw(past.name)} LIMIT 1`)) ? candidates : [];
}

/** Further steps of the transaction that detaches partitions. */
export interface DropOptions {
  /** Runs in the transaction, before the table is locked. If it throws, the partitions stay. */
  prepare?: (partitions: Partition[], client: pg.ClientBase) => Promise<void>;
  /** Runs while the table is locked, so it must be short. Returns a table with rows that stay. It becomes the partition `…_past`. */
  keepRows?: () => Promise<string>;
}

/**
 * Drops the rows of a table from before a day, the first of a month, by dropping their partitions. Returns the names of these.
 * Writers wait for at most 250 ms ({@link withLocks}): one short transaction detaches the partitions, and their files are deleted
 * after it (docs/decisions/0054-retention.md). Rows that arrive later with a time before that day go to the partition `…_past`.
 */
export async function dropPartitionsBefore(
  owner: pg.Pool | pg.ClientBase,
  table: PartitionedTable,
  before: string,
  options: DropOptions = {},
): Promise<string[]> {
  return withPartitionLock(owner, async (client) => {
    await deleteDetached(client, table);
    const partitions = await listPartitionsBefore(client, table, before);
    if (partitions.length === 0) return [];
    await detach(client, table, before, partitions, options);
    await deleteDetached(client, table);
    return partitions.map(({ name }) => name);
  });
}

/** Detaches partitions in one transaction, and renames them. They keep their rows until {@link deleteDetached}. */
async function detach(
  client: pg.ClientBase,
  table: PartitionedTable,
  before: string,
  partitions: Partition[],
  { prepare, keepRows }: DropOptions,
): Promise<void> {
  const work = async (): Promise<void> => {
    await lockTable(client, table);
    for (const { name } of partitions) {
      // Citus accepts no other statement in the same text.
      await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name}`);
      await client.query(`ALTER TABLE ${name} RENAME TO ${DROPPED}${name}`);
    }
    // The months of ledgers have no late rows.
    if (partitionedTables[table] !== 'occurred_at') return;
    const kept = await keepRows?.();
    const past = `${table}_past`;
    await client.query(
      kept
        ? `ALTER TABLE ${kept} RENAME TO ${past}`
        : `CREATE TABLE ${past} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`,
    );
    await deleteUnpartitionedBefore(client, table, before);
    await client.query(
      `ALTER TABLE ${table} ATTACH PARTITION ${past} FOR VALUES FROM ('-infinity') TO ('${before}')`,
    );
  };
  await withLocks(client, table, work, prepare && (() => prepare(partitions, client)));
}

/** The rows of months without a partition from before a day. */
const unpartitionedBefore = (table: PartitionedTable, before: string): Sql =>
  sql`FROM ${raw(`${table}_default`)} WHERE ${raw(partitionedTables[table])} < ${`${before}T00:00:00Z`}`;

export function countUnpartitionedBefore(
  owner: pg.Pool,
  table: PartitionedTable,
  before: string,
): Promise<number> {
  return ownerQuerier(owner).count(sql`SELECT count(*) ${unpartitionedBefore(table, before)}`);
}

/** Deletes the rows of months without a partition. Returns their number. */
export function deleteUnpartitionedBefore(
  owner: pg.Pool | pg.ClientBase,
  table: PartitionedTable,
  before: string,
): Promise<number> {
  return ownerQuerier(owner).run(sql`DELETE ${unpartitionedBefore(table, before)}`);
}

/** Deletes the partitions of a run that ended after it detached them. */
export async function deleteDetachedPartitions(owner: pg.Pool, table: PartitionedTable): Promise<void> {
  await withPartitionLock(owner, (client) => deleteDetached(client, table));
}

/** Deletes detached partitions, including those of a run that ended before it deleted them. */
async function deleteDetached(client: pg.ClientBase, table: PartitionedTable): Promise<void> {
  const detached = await ownerQuerier(client).rows<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition
      AND relname ~ ${`^${DROPPED}${table}_(past|[0-9]{4}_[0-9]{2})$`}`);
  for (const { name } of detached) await client.query(`DROP TABLE ${name}`);
}
