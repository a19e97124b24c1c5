import type pg from 'pg';
import type { Database } from '../database/database.ts';
import { findPartitionsBefore } from '../database/drop-partitions.ts';
import { firstOfMonth } from '../database/partitioned-tables.ts';
import { archiveEvents, type Archive, type WrittenPart } from '../features/gameplay/events/index.ts';
import { auditTrail } from '../features/platform/audit/index.ts';
import type { Config } from './config.ts';

/** Archives the events from before a day, the first of a month that has begun, and leaves an audit record. */
export async function archiveBefore(
  owner: pg.Pool,
  database: Database,
  archive: Archive,
  before: string,
  report: (part: WrittenPart) => void = () => {},
): Promise<void> {
  let parts = 0;
  let events = 0;
  await archiveEvents(owner, archive, before, (part) => {
    parts++;
    events += part.rows;
    report(part);
  });
  if (parts === 0) return;
  await auditTrail(database.forPlatform(), [
    {
      actor: { kind: 'system', id: null },
      action: 'events.archived',
      details: { before, parts, events },
    },
  ]);
}

/** The nightly job: archives the months that are older than the setting, if there is one. */
export async function archiveOldEvents(
  owner: pg.Pool,
  database: Database,
  archive: Archive,
  { archiveAfterMonths }: Pick<Config, 'archiveAfterMonths'>,
  today = new Date(),
): Promise<void> {
  if (archiveAfterMonths === undefined) return;
  const before = firstOfMonth(today, -archiveAfterMonths);
  // Late events alone wait for the next month, so that a month has a dozen parts a year and not hundreds.
  const due = await Promise.all(
    (['match_events', 'player_events'] as const).map((table) => findPartitionsBefore(owner, table, before)),
  );
  if (due.flat().some(({ kind }) => kind === 'month')) await archiveBefore(owner, database, archive, before);
}
