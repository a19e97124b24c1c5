import { listPartitionsBefore } from '../../../../../database/partitions/drop-partitions.ts';
import { firstOfMonth } from '../../../../../database/partitions/partitioned-tables.ts';
import { EVENT_SCOPES, eventTables } from '../../event-row.ts';
import type { EventUpkeep } from '../../event-sources.ts';
import { archiveEvents } from './archive-events.ts';
import type { WrittenPart } from '../parts/archive-files.ts';

/** The result of a run. */
interface ArchiveTotals {
  /** The partitions that do not exist any more. */
  partitions: number;
  parts: number;
  events: number;
  bytes: number;
  /** The number of late events that were deleted, because retention had dropped their months. */
  dropped: number;
}

/** Archives the events from before a day, the first of a month that has begun. Reports each part. */
export async function archiveBefore(
  { owner, archive }: EventUpkeep,
  before: string,
  report: (part: WrittenPart) => void = () => {},
): Promise<ArchiveTotals> {
  const totals: ArchiveTotals = { partitions: 0, parts: 0, events: 0, bytes: 0, dropped: 0 };
  await archiveEvents(owner, archive, before, (written) => {
    totals.partitions += written.partitions.length;
    totals.dropped += written.dropped;
    for (const part of written.parts) {
      totals.parts++;
      totals.events += part.rows;
      totals.bytes += part.bytes;
      report(part);
    }
  });
  return totals;
}

/** The nightly job: archives the months that are older than the setting. */
export async function archiveOldEvents(upkeep: EventUpkeep, archiveAfterMonths: number): Promise<void> {
  const before = firstOfMonth(new Date(), -archiveAfterMonths);
  // Late events alone wait for the next month, so that a month has a dozen parts a year and not hundreds.
  const due = await Promise.all(
    EVENT_SCOPES.map((scope) => listPartitionsBefore(upkeep.owner, eventTables[scope], before)),
  );
  if (due.flat().some(({ kind }) => kind === 'month')) await archiveBefore(upkeep, before);
}
