import type { Registry } from 'prom-client';
import { addGauge } from '../../core/add-gauge.ts';
import type { Database } from '../database.ts';
import { PARTITION_BOUNDS } from './partitioned-tables.ts';
import { readForScrape } from '../read-for-scrape.ts';
import { raw, sql } from '../sql.ts';

/** Registers how many months after the current one have a partition. Each process exports the same values. */
export function measurePartitions(registry: Registry, database: Database): void {
  const read = readForScrape(() =>
    database.rows<{ table: string; months: number }>(sql`
      SELECT parent.relname AS table,
             (extract(year FROM ahead) * 12 + extract(month FROM ahead))::int - 1 AS months
      FROM pg_partitioned_table partitioned
      CROSS JOIN LATERAL (SELECT * FROM pg_class WHERE oid = partitioned.partrelid OFFSET 0) parent
      CROSS JOIN LATERAL (
        SELECT age(date_trunc('month', max((${raw(PARTITION_BOUNDS)})[2]::timestamptz), 'UTC'),
                   date_trunc('month', now(), 'UTC')) AS ahead
        FROM pg_inherits link
        CROSS JOIN LATERAL (SELECT * FROM pg_class WHERE oid = link.inhrelid OFFSET 0) partition
        WHERE link.inhparent = parent.oid) partitions
      WHERE parent.relnamespace = 'public'::regnamespace AND partitioned.partstrat = 'r'`),
  );
  addGauge(
    registry,
    {
      name: 'guildhall_partition_months_ahead',
      help: 'How many months after the current one have a partition, by table. Rows of other months slow their creation.',
      labels: ['table'],
    },
    async () => (await read())?.map(({ table, months }) => ({ labels: { table }, value: months })),
  );
}
