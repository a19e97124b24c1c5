import type pg from 'pg';
import { ownerQuerier } from '../scope.ts';
import { raw, sql } from '../sql.ts';
import { isPartitionedTable, PARTITION_BOUNDS, type PartitionedTable } from './partitioned-tables.ts';

/** A partition of a table that is partitioned by month. */
export interface Partition {
  table: PartitionedTable;
  name: string;
  /** A month, the rows from before the first month, or the rows of months without a partition. */
  kind: 'month' | 'past' | 'default';
  /** The first day, as `2026-11-01`. Null for `past` and `default`. */
  from: string | null;
  /** The day after the last one. Null for `default`. */
  to: string | null;
  /** An estimate of PostgreSQL, or null if it has none yet. */
  rows: number | null;
  bytes: number;
}

/** Lists the partitions, by table and time. */
export async function listPartitions(db: pg.Pool | pg.ClientBase): Promise<Partition[]> {
  const partitions = await ownerQuerier(db).rows<Partition>(sql`
    SELECT parent.relname AS table, partition.relname AS name,
           CASE WHEN bound IS NULL THEN 'default' WHEN bound[1] = '-infinity' THEN 'past' ELSE 'month' END AS kind,
           CASE WHEN bound[1] <> '-infinity' THEN (bound[1]::timestamptz AT TIME ZONE 'UTC')::date::text END AS from,
           -- Rounded up: a partition whose creation was interrupted ends in the middle of a day.
           (bound[2]::timestamptz AT TIME ZONE 'UTC' + interval '1 day' - interval '1 microsecond')::date::text AS to,
           nullif(partition.reltuples, -1)::float8 AS rows,
           pg_total_relation_size(partition.oid)::float8 AS bytes
    FROM pg_class parent
    JOIN pg_inherits ON inhparent = parent.oid
    JOIN pg_class partition ON partition.oid = inhrelid,
    LATERAL (SELECT ${raw(PARTITION_BOUNDS)} AS bound) bounds
    WHERE parent.relkind = 'p' AND parent.relnamespace = 'public'::regnamespace
    ORDER BY 1, bound[1] NULLS LAST`);
  return partitions.filter(({ table }) => isPartitionedTable(table));
}
