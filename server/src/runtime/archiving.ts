import type pg from 'pg';
import type { Database } from '../database/database.ts';
import { firstOfMonth } from '../database/partitioned-tables.ts';
import { archiveEvents, createDuckdb, type WrittenPart } from '../features/gameplay/events/index.ts';
import { auditTrail } from '../features/platform/audit/index.ts';
import type { Config } from './config.ts';

/** Archives the events from before a day, the first of a month that has begun, and leaves an audit record. */
export async function archiveBefore(
  owner: pg.Pool,
  database: Database,
  archiveDir: string,
  before: string,
  report: (part: WrittenPart) => void = () => {},
): Promise<void> {
  let parts = 0;
  let events = 0;
  await archiveEvents(owner, { root: archiveDir, duckdb: createDuckdb() }, before, (part) => {
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

/** Archives the events that are older than the settings allow. Does nothing without a setting. */
export async function archiveOldEvents(
  owner: pg.Pool,
  database: Database,
  { archiveAfterMonths, archiveDir }: Pick<Config, 'archiveAfterMonths' | 'archiveDir'>,
  today = new Date(),
): Promise<void> {
  if (archiveAfterMonths === undefined) return;
  await archiveBefore(owner, database, archiveDir, firstOfMonth(today, -archiveAfterMonths));
}
