import type pg from 'pg';
import { SYSTEM } from '../../../../core/author.ts';
import type { Database } from '../../../../database/database.ts';
import { findPartitionsBefore } from '../../../../database/drop-partitions.ts';
import { firstOfMonth } from '../../../../database/partitioned-tables.ts';
import { auditTrail } from '../../../platform/audit/index.ts';
import { EVENT_SCOPES, eventTables } from '../event-row.ts';
import { archiveEvents, type ArchiveTotals } from './archive-events.ts';
import type { Archive } from './archive.ts';
import type { WrittenPart } from './write-part.ts';

/** Archives the events from before a day, the first of a month that has begun, and leaves an audit record. */
export async function archiveBefore(
  owner: pg.Pool,
  database: Database,
  archive: Archive,
  before: string,
  report: (part: WrittenPart) => void = () => {},
): Promise<ArchiveTotals> {
  const totals = await archiveEvents(owner, archive, before, report);
  const { parts, events } = totals;
  if (parts > 0)
    await auditTrail(database.forPlatform(), [
      {
        ...SYSTEM,
        action: 'events.archived',
        details: { before, parts, events },
      },
    ]);
  return totals;
}

/** The nightly job: archives the months that are older than the setting, if there is one. */
export async function archiveOldEvents(
  owner: pg.Pool,
  database: Database,
  archive: Archive,
  { archiveAfterMonths }: { archiveAfterMonths?: number | undefined },
  today = new Date(),
): Promise<void> {
  if (archiveAfterMonths === undefined) return;
  const before = firstOfMonth(today, -archiveAfterMonths);
  // Late events alone wait for the next month, so that a month has a dozen parts a year and not hundreds.
  const due = await Promise.all(
    EVENT_SCOPES.map((scope) => findPartitionsBefore(owner, eventTables[scope], before)),
  );
  if (due.flat().some(({ kind }) => kind === 'month')) await archiveBefore(owner, database, archive, before);
}
