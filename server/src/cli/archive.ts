import { Command } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { firstOfMonth } from '../database/partitions/partitioned-tables.ts';
import {
  archiveBefore,
  listUnknownTenants,
  openArchive,
  partName,
  selectParts,
  verifyArchive,
  type ArchivedPart,
  type WrittenPart,
} from '../features/gameplay/events/index.ts';
import { readCheckedClock } from '../runtime/checked-clock.ts';
import type { Config } from '../runtime/config.ts';
import { firstDayOf, withOwner } from './command.ts';
import { forEachTenant, type TenantOption } from './tenants.ts';
import { countAltered } from './verify.ts';

/** One connection holds the lock of the archive. The other one reads and changes partitions. */
const OWNER_CONNECTIONS = 2;

export const archiveCommand = new Command('archive').description(
  'manage the archive of events: Parquet files of past months',
);

archiveCommand
  .command('create')
  .description('move the events from before a month to the archive; safe while a server runs')
  .option(
    '--before <month>',
    'the first month that stays in the database, such as 2026-01 (default: by ARCHIVE_AFTER_MONTHS, otherwise the current month)',
  )
  .action(({ before }: { before?: string }) =>
    withOwner(OWNER_CONNECTIONS, async (owner, url, config) => {
      const { day, partitions, parts, events, bytes, dropped } = await withDatabaseAt(
        url,
        async (database) => {
          const now = await readCheckedClock(database, 'nothing is archived');
          const day = firstDayToKeep(before, now, config);
          const print = (part: WrittenPart): void => console.log(describePart(part));
          const upkeep = { owner, database, archive: openArchive(config) };
          return { day, ...(await archiveBefore(upkeep, day, print)) };
        },
      );
      if (dropped > 0)
        console.log(`Deleted ${dropped} late events of months that retention has already dropped.`);
      console.log(
        partitions === 0
          ? `Nothing is archived: no partition has only events from before ${day.slice(0, 7)}. List them with "guildhall partitions list".`
          : `Archived ${events} events from before ${day.slice(0, 7)} in ${placeOf(config)}: ${parts} parts` +
              (events === 0 ? '.' : `, ${(bytes / events).toFixed(1)} bytes an event.`),
      );
    }),
  );

archiveCommand
  .command('list')
  .description('list the archived parts')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: TenantOption) => {
    let parts = 0;
    await forEachTenant(options, async ({ database }, tenantId) => {
      for (const part of await selectParts(database.forTenant(tenantId), tenantId)) {
        parts++;
        console.log(describePart(part));
      }
    });
    if (parts === 0) console.log('No events are archived.');
  });

archiveCommand
  .command('verify')
  .description('compare the checksums of the files and the hash of each archived row')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: TenantOption) => {
    const { rows, altered } = await countAltered('archived events', (report, onRows) =>
      forEachTenant(
        options,
        ({ database, archive }, tenantId) =>
          verifyArchive(database, archive, { tenantId, range: {}, report, onRows }),
        listUnknownTenants,
      ),
    );
    console.log(
      altered === 0
        ? `All ${rows} archived events match their checksums and hashes.`
        : `${altered} differences in ${rows} archived events.`,
    );
    if (altered > 0) process.exitCode = 2;
  });

/** The bucket or the folder of the archive, as text. */
const placeOf = ({ archiveBucket, archiveDir }: Config): string =>
  archiveBucket
    ? `s3://${[archiveBucket.bucket, archiveBucket.prefix].filter(Boolean).join('/')}`
    : archiveDir;

/** The first day whose events stay in the database. */
function firstDayToKeep(month: string | undefined, now: Date, { archiveAfterMonths = 0 }: Config): string {
  return month === undefined ? firstOfMonth(now, -archiveAfterMonths) : firstDayOf(month);
}

function describePart(part: WrittenPart | ArchivedPart): string {
  const { tenantId, rows, bytes } = part;
  return `${tenantId}/${partName(part)}  ${rows} events  ${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}
