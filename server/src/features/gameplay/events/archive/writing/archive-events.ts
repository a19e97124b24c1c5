import type pg from 'pg';
import { isDatabaseUnavailable } from '../../../../../core/database-unavailable.ts';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { refuseArchivingOnCitus } from '../../../../../database/citus.ts';
import {
  deleteDetachedPartitions,
  listPartitionsBefore,
} from '../../../../../database/partitions/drop-partitions.ts';
import { requireWritable } from '../../../../../database/migrate.ts';
import { firstOfMonth } from '../../../../../database/partitions/partitioned-tables.ts';
import { EVENT_SCOPES, eventTables, type EventScope } from '../../event-row.ts';
import { removeDrafts } from '../parts/archive-files.ts';
import { withArchiveLock } from '../parts/archive-lock.ts';
import type { Archive } from '../parts/archive.ts';
import { removeUnfinished } from './delete-archived.ts';
import { requireStoredParts } from '../parts/require-stored-parts.ts';
import { DuckdbError } from '../duckdb/duckdb.ts';
import { dropLateTables } from './late-events.ts';
import { replacePartitions } from './replace-partitions.ts';
import { writeMonths, type ArchiveRun, type WrittenMonths } from './write-months.ts';

/**
 * Archives the events from before a day, the first of a month, month by month (docs/decisions/0048-event-archive.md). If the
 * process dies, nothing is lost, and the next run continues. Throws an OperatorError if another process archives, if
 * the archive is not the one of the database, if the database is read-only, and on Citus. Reports the months of each transaction.
 */
export async function archiveEvents(
  owner: pg.Pool,
  archive: Archive,
  before: string,
  report: (written: WrittenMonths) => void = () => {},
): Promise<void> {
  await refuseArchivingOnCitus(owner);
  await withArchiveLock(owner, async (client) => {
    // The locks of a standby are its own. A run on the primary would lose its files.
    await requireWritable(client);
    await requireStoredParts(client, archive);
    await removeUnfinished(client, archive);
    // If a run was killed on this machine, another machine may have removed the rows of its drafts.
    if (archive.bucket) await removeDrafts(archive.root);
    await dropLateTables(client);
    for (const scope of EVENT_SCOPES) {
      await deleteDetachedPartitions(owner, eventTables[scope]);
      for (const end of await findMonthEnds(client, scope, before))
        report(await archiveUpTo({ owner, client, archive }, scope, end));
    }
  });
}

/** The days up to which events are archived in turn. The first one includes all events from before its month. */
async function findMonthEnds(client: pg.ClientBase, scope: EventScope, before: string): Promise<string[]> {
  const partitions = await listPartitionsBefore(client, eventTables[scope], before);
  const months = partitions.filter(({ kind }) => kind === 'month');
  // A month whose creation was interrupted ends too early.
  const ends = months.map(({ from }) => firstOfMonth(new Date(from!), 1));
  return ends.length > 0 ? [...new Set(ends)] : partitions.map(({ to }) => to!);
}

/**
 * Archives all events of a scope from before a day. Events that arrive while they are written stay in PostgreSQL. If it fails, nothing is
 * lost, and no file stays.
 */
async function archiveUpTo(run: ArchiveRun, scope: EventScope, end: string): Promise<WrittenMonths> {
  const { client, archive } = run;
  try {
    const written = await writeMonths(run, scope, end);
    await archive.bucket?.deleteOldCopies();
    await replacePartitions(client, scope, end, written);
    return written;
  } catch (error) {
    // If this fails too, for example because the database does not answer, the next run does it.
    await removeUnfinished(client, archive).catch(() => {});
    await dropLateTables(client).catch(() => {});
    if (!isFileError(error)) throw error;
    throw new OperatorError(
      `The events could not be written to ${archive.root} (${error.message}). They stay in the database. Free some space there, or correct the folder of ARCHIVE_DIR.`,
      { cause: error },
    );
  }
}

/** Whether a file could not be written, for example because the disk is full. */
function isFileError(error: unknown): error is Error {
  if (error instanceof DuckdbError) return error.message.startsWith('IO Error');
  return error instanceof Error && 'errno' in error && !isDatabaseUnavailable(error);
}
