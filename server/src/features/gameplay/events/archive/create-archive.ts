import { join } from 'node:path';
import type pg from 'pg';
import { OperatorError } from '../../../../core/operator-error.ts';
import {
  deleteDetachedPartitions,
  dropPartitionsBefore,
  findPartitionsBefore,
} from '../../../../database/drop-partitions.ts';
import type { BucketStorage } from '../../../../outbound/object-storage.ts';
import { firstOfMonth, lockTable, withLocks } from '../../../../database/partitioned-tables.ts';
import { EVENT_SCOPES, eventTables, type EventScope } from '../event-row.ts';
import {
  listFolders,
  PROOFS_FILE,
  removePart,
  type MonthName,
  type PartName,
  type StoredPart,
} from './archive-files.ts';
import { createArchiveBucket, type ArchiveBucket } from './archive-bucket.ts';
import { createDuckdb, type Duckdb } from './duckdb.ts';
import { stopCapture, dropLateTables, captureLateEvents, lateTable, uncountRepeated } from './late-events.ts';
import {
  checksumOf,
  completeParts,
  countMonths,
  findParts,
  findRollupStart,
  findUnfinished,
  unregisterPart,
  registerPart,
  releaseArchiveLock,
  tryArchiveLock,
  withdrawParts,
  type MonthOfEvents,
} from './queries.ts';
import { splitMonth, type RowRange } from './spool-events.ts';
import { writePart, type WrittenEvents, type WrittenPart } from './write-part.ts';

/** Where events are archived, and what writes the files. */
export interface Archive {
  /** The folder of the archive. With a bucket, it has copies of those parts that were used last. */
  root: string;
  /** Undefined: the parts are in the folder only. */
  bucket?: ArchiveBucket | undefined;
  duckdb: Duckdb;
  /** The most rows of a part. Default: {@link ROWS_OF_PART}. */
  rowsOfPart?: number | undefined;
}

/** The settings of the archive. */
export interface ArchiveSettings {
  archiveDir: string;
  archiveBucket: BucketStorage | undefined;
  archiveCacheBytes: number;
}

/** Opens the archive that the operator has configured. Sends no request, and starts no process. */
export function openArchive({ archiveDir, archiveBucket, archiveCacheBytes }: ArchiveSettings): Archive {
  const duckdb = createDuckdb();
  if (!archiveBucket) return { root: archiveDir, duckdb };
  // A folder of its own, because copies are deleted: the other folders may have the only files of an archive without a bucket.
  const root = join(archiveDir, COPIES_FOLDER);
  return { root, bucket: createArchiveBucket(archiveBucket, root, archiveCacheBytes), duckdb };
}

/** In the folder of the archive, the copies of what is in the bucket. */
const COPIES_FOLDER = 'copies';

/**
 * S3 takes at most 5 GiB in one request. A row with the longest keys has 352 bytes before compression, so a file of this many rows has at
 * most 3.5 GB. Usually it has 0.9 GB.
 */
const ROWS_OF_PART = 10_000_000;

/**
 * Archives the events from before a day, the first of a month, month by month (docs/decisions/0048-event-archive.md). Returns the new
 * parts. If the process dies, nothing is lost, and the next run continues. Throws {@link OperatorError} if another process archives.
 */
export async function archiveEvents(
  owner: pg.Pool,
  archive: Archive,
  before: string,
  report: (part: WrittenPart) => void = () => {},
): Promise<void> {
  await withArchiveLock(owner, async (client) => {
    await removeUnfinished(client, archive);
    await dropLateTables(client);
    for (const scope of EVENT_SCOPES) {
      await deleteDetachedPartitions(owner, eventTables[scope]);
      for (const end of await findMonthEnds(client, scope, before))
        for (const part of await archiveUpTo(owner, client, archive, scope, end)) report(part);
    }
  });
}

/**
 * Deletes the archived events of a scope from before a day, the first of a month, for good. Returns their number. Needs the lock of the
 * archive.
 */
export async function deleteArchivedBefore(
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  before: string,
): Promise<number> {
  let events = 0;
  // A query that has read which parts there are locks the table until it has read them.
  await withLocks(client, async () => {
    await lockTable(client, eventTables[scope]);
    events = await withdrawParts(client, scope, before);
  });
  await removeUnfinished(client, archive);
  return events;
}

/** Runs work while no other process archives events or deletes archived ones. Throws {@link OperatorError} if one does. */
export async function withArchiveLock<Result>(
  owner: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await owner.connect();
  try {
    if (!(await tryArchiveLock(client)))
      throw new OperatorError('Another process works on the archive. Try again later.');
    return await work(client);
  } finally {
    // The end of a connection releases the lock too, but PostgreSQL may notice it later.
    await releaseArchiveLock(client).catch(() => {});
    client.release(true);
  }
}

/** Removes the files of parts that are not archived: a run ended while it wrote or deleted them. */
async function removeUnfinished(client: pg.ClientBase, { root, bucket }: Archive): Promise<void> {
  for (const part of await findUnfinished(client)) {
    await removePart(root, part);
    await bucket?.remove(part);
    await unregisterPart(client, part);
  }
}

/** The days up to which events are archived in turn. The first one includes all events from before its month. */
async function findMonthEnds(client: pg.ClientBase, scope: EventScope, before: string): Promise<string[]> {
  const partitions = await findPartitionsBefore(client, eventTables[scope], before);
  const months = partitions.filter(({ kind }) => kind === 'month');
  // A month whose creation was interrupted ends too early.
  const ends = months.map(({ from }) => firstOfMonth(new Date(from!), 1));
  return ends.length > 0 ? [...new Set(ends)] : partitions.map(({ to }) => to!);
}

/**
 * Archives all events of a scope from before a day. Events that arrive while they are written stay in PostgreSQL. If it fails, nothing is
 * lost, and no file stays.
 */
async function archiveUpTo(
  owner: pg.Pool,
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  end: string,
): Promise<WrittenPart[]> {
  try {
    const written = await writeMonths(owner, client, archive, scope, end);
    await replacePartitions(client, scope, end, written);
    return written.parts;
  } catch (error) {
    // Otherwise the next run does it, for example if the database does not answer.
    await removeUnfinished(client, archive).catch(() => {});
    await dropLateTables(client).catch(() => {});
    throw error;
  }
}

/** The parts that have the events of partitions which were there when the run began, and were not archived before. */
export interface WrittenMonths {
  partitions: string[];
  checksum: bigint;
  parts: WrittenPart[];
}

/** Writes the parts of all events of a scope from before a day. PostgreSQL keeps these events. */
export async function writeMonths(
  owner: pg.Pool,
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  end: string,
): Promise<WrittenMonths> {
  const partitions = (await findPartitionsBefore(client, eventTables[scope], end)).map(({ name }) => name);
  const reader = await owner.connect();
  let broken: Error | undefined;
  try {
    // One snapshot for all of them. Other statements commit on their own connection. The first query takes it.
    await captureLateEvents(client, scope, partitions, end, async () => {
      await reader.query(
        `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO';
         SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1`,
      );
    });
    const months = await countMonths(reader, eventsBefore(scope, end, partitions));
    const start = await findRollupStart(client, scope);
    const parts: WrittenPart[] = [];
    for (const counted of months)
      // Retention has dropped a month from before the start, and these events arrived later.
      if (start === undefined || `${counted.month}-01` >= start)
        parts.push(...(await writeMonth(reader, client, archive, scope, counted)));
    await reader.query('COMMIT');
    return { partitions, checksum: months.reduce((sum, { checksum }) => sum ^ checksum, 0n), parts };
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    reader.release(broken);
  }
}

/** Writes the events of a month as new parts, without those that an earlier part has. */
async function writeMonth(
  reader: pg.ClientBase,
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  counted: MonthOfEvents,
): Promise<WrittenPart[]> {
  const { rowsOfPart = ROWS_OF_PART } = archive;
  const month = { tenantId: counted.tenantId, scope, month: counted.month };
  const earlier = await findParts(client, month);
  const ranges: RowRange[] = counted.rows > rowsOfPart ? await splitMonth(reader, month, rowsOfPart) : [{}];
  const parts: WrittenPart[] = [];
  let rows = 0;
  let number = await nextPartNumber(archive, month, earlier);
  for (const range of ranges) {
    const { part, repeated } = await writeRange(
      reader,
      client,
      archive,
      { ...month, part: number },
      range,
      earlier,
    );
    rows += repeated + (part?.rows ?? 0);
    if (!part) continue;
    parts.push(part);
    number++;
  }
  if (rows !== counted.rows)
    throw new Error(
      `${rows} of ${counted.rows} ${scope} events of ${month.month} of tenant ${month.tenantId} were written.`,
    );
  return parts;
}

/** Writes a range of the events of a month as a new part, without those that an earlier part has. */
async function writeRange(
  reader: pg.ClientBase,
  client: pg.ClientBase,
  archive: Archive,
  name: PartName,
  range: RowRange,
  earlier: StoredPart[],
): Promise<WrittenEvents> {
  const { root, bucket, duckdb } = archive;
  await registerPart(client, name);
  try {
    // The copies are fetched again for each range, because an upload may delete them.
    await bucket?.fetch(earlier, [PROOFS_FILE]);
    const written = await writePart(reader, client, duckdb, root, name, range, earlier);
    if (written.part) await bucket?.upload(name);
    else await unregisterPart(client, name);
    return written;
  } catch (error) {
    // If the disk is full, PostgreSQL may not answer until these files are gone.
    await removePart(root, name);
    throw error;
  }
}

/** The number after those of all parts of a month, including folders and objects that no row of the database names. */
async function nextPartNumber(
  { root, bucket }: Archive,
  month: MonthName,
  registered: PartName[],
): Promise<number> {
  const stored = ((await bucket?.listParts(month.tenantId)) ?? []).filter(
    (part) => part.scope === month.scope && part.month === month.month,
  );
  const folders = await listFolders(root, month);
  return 1 + Math.max(0, ...folders, ...[...registered, ...stored].map(({ part }) => part));
}

/**
 * Makes written months archived: one transaction drops their partitions, and says where their events are now. Late events stay. It runs
 * on the connection that has the lock of the archive, so no other run has begun when it commits. If the partitions do not have the events
 * that were written, it throws an {@link OperatorError} and changes nothing.
 */
export async function replacePartitions(
  client: pg.ClientBase,
  scope: EventScope,
  end: string,
  { partitions, checksum, parts }: WrittenMonths,
): Promise<void> {
  const table = eventTables[scope];
  const changed = new OperatorError(
    `Partitions of ${table} from before ${end}, or events in them, were changed or deleted while they were archived. ` +
      `Nothing was lost. Try again later.`,
  );
  const dropped = await dropPartitionsBefore(client, table, end, {
    // Nobody waits for these statements: they take as long as there are events.
    async prepare(_, found) {
      const names = found.map(({ name }) => name);
      const late = `SELECT tenant_id, occurred_at, id FROM ${lateTable(scope)}`;
      const isSame =
        names.toSorted().join() === partitions.toSorted().join() &&
        (await checksumOf(client, `${eventsBefore(scope, end, names)} UNION ALL ${late}`)) === checksum;
      if (!isSame) throw changed;
      await completeParts(client, parts);
      await uncountRepeated(client, scope);
    },
    keepRows: () => stopCapture(client, scope),
  });
  if (dropped.length === 0) throw changed;
}

/** The SQL of the events that {@link dropPartitionsBefore} deletes. */
function eventsBefore(scope: EventScope, end: string, partitions: string[]): string {
  const columns = 'tenant_id, occurred_at, id';
  return [
    ...partitions.map((name) => `SELECT ${columns} FROM ${name}`),
    `SELECT ${columns} FROM ${eventTables[scope]}_default WHERE occurred_at < '${end}T00:00:00Z'`,
  ].join(' UNION ALL ');
}
