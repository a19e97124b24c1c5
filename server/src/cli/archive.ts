import { Command } from 'commander';
import pg from 'pg';
import { isGuid } from '../core/ids.ts';
import type { Database } from '../database/database.ts';
import { firstOfMonth } from '../database/partitioned-tables.ts';
import { sql } from '../database/sql.ts';
import {
  openArchive,
  partName,
  selectParts,
  verifyArchive,
  type ArchivedPart,
  type WrittenPart,
} from '../features/gameplay/events/index.ts';
import { archiveBefore } from '../runtime/archiving.ts';
import type { Config } from '../runtime/config.ts';
import { UsageError, withDatabase, withStorage } from './command.ts';
import { reportAlteredRows } from './verify.ts';

/** One has the lock of the archive, and one reads or changes partitions. */
const OWNER_CONNECTIONS = 2;

export const archiveCommand = new Command('archive').description(
  'manage the archive of events: Parquet files of months that are over',
);

archiveCommand
  .command('create')
  .description('move the events from before a month to the archive; safe beside a running server')
  .option(
    '--before <month>',
    'the first month that stays in the database, such as 2026-01 (default: by ARCHIVE_AFTER_MONTHS, otherwise the current month)',
  )
  .action(({ before }: { before?: string }) =>
    withStorage(async (url, config) => {
      const day = firstDayToKeep(before, config);
      const owner = new pg.Pool({ connectionString: url, max: OWNER_CONNECTIONS });
      const totals = { parts: 0, events: 0, bytes: 0 };
      try {
        await withDatabase(url, (database) =>
          archiveBefore(owner, database, openArchive(config), day, (part) => {
            console.log(describePart(part));
            totals.parts++;
            totals.events += part.rows;
            totals.bytes += part.bytes;
          }),
        );
      } finally {
        await owner.end();
      }
      console.log(
        totals.parts === 0
          ? `No events from before ${day.slice(0, 7)} are in the database.`
          : `Archived ${totals.events} events from before ${day.slice(0, 7)} in ${placeOf(config)}: ${totals.parts} parts, ` +
              `${(totals.bytes / totals.events).toFixed(1)} bytes an event.`,
      );
    }),
  );

archiveCommand
  .command('list')
  .description('list the archived parts')
  .option('--tenant <id>', 'only this tenant')
  .action((options: { tenant?: string }) =>
    ofEachTenant(options, async (database, tenantId) => {
      for (const part of await selectParts(database.forTenant(tenantId), tenantId))
        console.log(describePart(part));
    }),
  );

archiveCommand
  .command('verify')
  .description('compare the checksums of the files and the hash of each archived row')
  .option('--tenant <id>', 'only this tenant')
  .action(async (options: { tenant?: string }) => {
    const altered = { count: 0 };
    let rows = 0;
    await ofEachTenant(options, async (database, tenantId, config) => {
      const archive = openArchive(config);
      rows += await verifyArchive(database, archive, tenantId, {}, reportAlteredRows(altered));
    });
    console.log(
      altered.count === 0
        ? `All ${rows} archived events match their checksums and hashes.`
        : `${altered.count} differences in ${rows} archived events.`,
    );
    if (altered.count > 0) process.exitCode = 2;
  });

/** The bucket or the folder of the archive, as text. */
const placeOf = ({ archiveBucket, archiveDir }: Config): string =>
  archiveBucket
    ? `s3://${[archiveBucket.bucket, archiveBucket.prefix].filter(Boolean).join('/')}`
    : archiveDir;

/** The first day whose events stay in the database. Throws {@link UsageError}. */
function firstDayToKeep(month: string | undefined, { archiveAfterMonths = 0 }: Config): string {
  const current = firstOfMonth(new Date());
  if (month === undefined) return firstOfMonth(new Date(), -archiveAfterMonths);
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month) || `${month}-01` > current)
    throw new UsageError(`"${month}" is not a month up to the current one: write it as 2026-01.`);
  return `${month}-01`;
}

function describePart(part: WrittenPart | ArchivedPart): string {
  const { tenantId, rows, bytes } = part;
  return `${tenantId}/${partName(part)}  ${rows} events  ${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}

async function ofEachTenant(
  { tenant }: { tenant?: string },
  work: (database: Database, tenantId: string, config: Config) => Promise<void>,
): Promise<void> {
  if (tenant !== undefined && !isGuid(tenant)) throw new UsageError(`"${tenant}" is not the id of a tenant.`);
  await withStorage((url, config) =>
    withDatabase(url, async (database) => {
      const tenants =
        tenant === undefined
          ? await database.forPlatform().rows<{ id: string }>(sql`SELECT id FROM tenants ORDER BY id`)
          : [{ id: tenant }];
      for (const { id } of tenants) await work(database, id, config);
    }),
  );
}
