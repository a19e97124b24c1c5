import type pg from 'pg';
import { firstOfMonth, type PartitionedTable } from '../database/partitions/partitioned-tables.ts';

/**
 * Creates the empty partitions of the months before a day, as if the deployment were older. The last of them exists already if the
 * database is from before a change of the month.
 */
export async function createOlderPartitions(
  owner: pg.Pool,
  table: PartitionedTable,
  months: number,
  today: Date,
): Promise<void> {
  const month = (later: number): string => firstOfMonth(today, later);
  const isOfEvents = table.endsWith('_events');
  const client = await owner.connect();
  try {
    await client.query(`SET timezone = 'UTC'`);
    if (isOfEvents) await client.query(`DROP TABLE ${table}_past`);
    for (let later = -months; later < 0; later++) {
      const name = `${table}_${month(later).slice(0, 7).replace('-', '_')}`;
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES FROM ('${month(later)}') TO ('${month(later + 1)}')`,
      );
    }
    if (isOfEvents)
      await client.query(
        `CREATE TABLE ${table}_past PARTITION OF ${table} FOR VALUES FROM ('-infinity') TO ('${month(-months)}')`,
      );
  } finally {
    client.release(true);
  }
}
