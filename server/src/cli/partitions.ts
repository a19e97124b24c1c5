import { Command, Option } from 'commander';
import type pg from 'pg';
import { withDatabaseAt } from '../database/database.ts';
import { countUnpartitionedBefore, listPartitionsBefore } from '../database/partitions/drop-partitions.ts';
import { listPartitions, type Partition } from '../database/partitions/list-partitions.ts';
import {
  firstOfMonth,
  partitionedTables,
  type PartitionedTable,
} from '../database/partitions/partitioned-tables.ts';
import { createPartitions } from '../database/partitions/create-partitions.ts';
import { countArchivedBefore, openArchive, type Archive } from '../features/gameplay/events/index.ts';
import { dropOldRows, scopeOfEvents, type Retention } from '../runtime/retention.ts';
import { firstDayOf, integer, withOwner } from './command.ts';

const MOST_MONTHS_AHEAD = 120;

export const partitionsCommand = new Command('partitions').description(
  'manage the monthly partitions of events and ledgers',
);

partitionsCommand
  .command('list')
  .description('list the partitions, with their size and the day from which RETENTION_MONTHS drops them')
  .action(() =>
    withOwner(1, async (owner, _url, { retention }) => {
      console.log(describePartitions(await listPartitions(owner), retention).join('\n'));
    }),
  );

partitionsCommand
  .command('create')
  .description('create the partitions of the next months')
  .option(
    '--months <number>',
    `how many months after the current one (0 to ${MOST_MONTHS_AHEAD})`,
    integer(0, MOST_MONTHS_AHEAD),
    3,
  )
  .action(({ months }: { months: number }) =>
    withOwner(1, async (owner) => {
      const created = await createPartitions(owner, { monthsAhead: months });
      console.log(created.length === 0 ? 'All partitions exist.' : `Created ${created.join(', ')}.`);
    }),
  );

partitionsCommand
  .command('drop')
  .description(
    'delete the rows of a table from before a month permanently; without --yes, only print what would be deleted',
  )
  .addOption(
    new Option('--table <name>', 'the table').choices(Object.keys(partitionedTables)).makeOptionMandatory(),
  )
  .requiredOption('--before <month>', 'the first month to keep, such as 2026-01; the current one or earlier')
  .option('--yes', 'drop them', false)
  .action(async ({ table, before, yes }: { table: PartitionedTable; before: string; yes: boolean }) => {
    const day = firstDayOf(before);
    await withOwner(1, (owner, url, config) =>
      yes ? drop(owner, url, table, day, openArchive(config)) : printDroppable(owner, table, day),
    );
  });

async function drop(
  owner: pg.Pool,
  url: string,
  table: PartitionedTable,
  before: string,
  archive: Archive,
): Promise<void> {
  const { partitions, unpartitioned, archivedEvents } = await withDatabaseAt(url, (database) =>
    dropOldRows({ owner, database, archive }, table, before),
  );
  if (partitions.length > 0) console.log(`Dropped ${partitions.join(', ')}.`);
  if (unpartitioned > 0) console.log(`Deleted ${unpartitioned} rows of months without a partition.`);
  if (archivedEvents > 0) console.log(`Deleted ${archivedEvents} archived events.`);
  if (partitions.length === 0 && unpartitioned === 0 && archivedEvents === 0)
    console.log('Nothing is older.');
}

async function printDroppable(owner: pg.Pool, table: PartitionedTable, before: string): Promise<void> {
  const archived = await countArchived(owner, table, before);
  const found = await listPartitionsBefore(owner, table, before);
  const unpartitioned = await countUnpartitionedBefore(owner, table, before);
  if (found.length === 0 && unpartitioned === 0 && archived === 0) return console.log('Nothing is older.');
  if (found.length > 0) console.log(describePartitions(found, {}).join('\n'));
  if (unpartitioned > 0) console.log(`${unpartitioned} rows of months without a partition`);
  if (archived > 0) console.log(`${archived} archived events from before ${before.slice(0, 7)}`);
  console.log('Nothing is dropped yet. Add --yes to delete these rows permanently.');
}

async function countArchived(owner: pg.Pool, table: PartitionedTable, before: string): Promise<number> {
  const scope = scopeOfEvents[table];
  return scope ? countArchivedBefore(owner, scope, before) : 0;
}

/** A table of partitions for the terminal. */
function describePartitions(partitions: Partition[], retention: Retention): string[] {
  const lines = partitions.map(({ table, name, kind, from, to, rows, bytes }) => {
    const kept = retention[table];
    const isDropped = kept !== undefined && to !== null;
    return [
      name,
      from ?? (kind === 'past' ? 'all before' : 'all others'),
      to ?? '',
      rows === null ? 'unknown' : String(rows),
      `${(bytes / 1024 / 1024).toFixed(1)} MiB`,
      isDropped ? firstOfMonth(new Date(to), kept) : 'never',
    ];
  });
  const table = [['PARTITION', 'FROM', 'TO', 'ROWS (ABOUT)', 'SIZE', 'DROPPED FROM'], ...lines];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  return table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
