import { join } from 'node:path';
import type pg from 'pg';
import { OperatorError } from '../../../../core/operator-error.ts';
import {
  deleteDetachedPartitions,
  dropPartitionsBefore,
  findPartitionsBefore,
} from '../../../../database/drop-partitions.ts';
import type { BucketStorage } from '../../../../outbound/object-storage.ts';
import { firstOfMonth } from '../../../../database/partitioned-tables.ts';
import type { Partition } from '../../../../database/list-partitions.ts';
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
import {
  completeParts,
  countEventsOf,
  countMonths,
  findParts,
  findRollupStart,
  findUnfinished,
  forgetPart,
  registerPart,
  releaseArchiveLock,
  tryArchiveLock,
  uncount,
  withdrawParts,
  type MonthOfEvents,
} from './queries.ts';
import { splitMonth, type RowRange } from './spool-events.ts';
import { writePart, type RepeatedEvents, type WrittenEvents, type WrittenPart } from './write-part.ts';

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
/** Events of old months may arrive while a month is written. */
const MAX_ATTEMPTS = 3;

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
    for (const scope of EVENT_SCOPES) {
      await deleteDetachedPartitions(owner, eventTables[scope]);
      for (const end of await findMonthEnds(client, scope, before))
        for (const part of await archiveUpTo(owner, client, archive, scope, end)) report(part);
    }
  });
}

/** Deletes the archived events of a scope from before a day, the first of a month, for good. Returns their number. */
export async function deleteArchivedBefore(
  owner: pg.Pool,
  archive: Archive,
  scope: EventScope,
  before: string,
): Promise<number> {
  return withArchiveLock(owner, async (client) => {
    const events = await withdrawParts(client, scope, before);
    await removeUnfinished(client, archive);
    return events;
  });
}

async function withArchiveLock<Result>(
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
    await bucket?.remove(part);
    await removePart(root, part);
    await forgetPart(client, part);
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

/** Archives all events of a scope from before a day: writes them, and then drops their partitions if they have not changed. */
async function archiveUpTo(
  owner: pg.Pool,
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  end: string,
): Promise<WrittenPart[]> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const written = await writeMonths(owner, client, archive, scope, end);
    if (await replacePartitions(owner, scope, end, written)) return written.flatMap(({ parts }) => parts);
    await removeUnfinished(client, archive);
  }
  throw new OperatorError(
    `${eventTables[scope]} changed before ${end} while they were archived. Nothing was lost. Try again later.`,
  );
}

/** The events of a month of a tenant, with the parts that have those of them that were not archived or dropped before. */
export interface WrittenMonth {
  counted: MonthOfEvents;
  parts: WrittenPart[];
  repeated: RepeatedEvents[];
}

/** Writes the parts of all events of a scope from before a day. PostgreSQL keeps these events. */
export async function writeMonths(
  owner: pg.Pool,
  client: pg.ClientBase,
  archive: Archive,
  scope: EventScope,
  end: string,
): Promise<WrittenMonth[]> {
  const reader = await owner.connect();
  let broken: Error | undefined;
  try {
    // One snapshot for all of them. Other statements commit on their own connection.
    await reader.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO';
       SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`,
    );
    const partitions = await findPartitionsBefore(reader, eventTables[scope], end);
    const written: WrittenMonth[] = [];
    const start = await findRollupStart(client, scope);
    for (const counted of await countMonths(reader, eventsBefore(scope, end, partitions))) {
      // Retention has dropped a month from before the start, and these events arrived later.
      const isDropped = start !== undefined && `${counted.month}-01` < start;
      written.push(
        isDropped
          ? { counted, parts: [], repeated: [] }
          : await writeMonth(reader, client, archive, scope, counted),
      );
    }
    await reader.query('COMMIT');
    return written;
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
): Promise<WrittenMonth> {
  const { rowsOfPart = ROWS_OF_PART } = archive;
  const month = { tenantId: counted.tenantId, scope, month: counted.month };
  const earlier = await findParts(client, month);
  const ranges: RowRange[] = counted.rows > rowsOfPart ? await splitMonth(reader, month, rowsOfPart) : [{}];
  const written: WrittenEvents[] = [];
  let part = await nextPartNumber(archive, month, earlier);
  for (const range of ranges) {
    const events = await writeRange(reader, client, archive, { ...month, part }, range, earlier);
    written.push(events);
    if (events.part) part++;
  }
  return {
    counted,
    parts: written.flatMap(({ part }) => part ?? []),
    repeated: written.flatMap(({ repeated }) => repeated),
  };
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
  // The copies are fetched again for each range, because an upload may delete them.
  await bucket?.fetch(earlier, [PROOFS_FILE]);
  const written = await writePart(reader, duckdb, root, name, range, earlier);
  if (written.part) await bucket?.upload(name);
  else await forgetPart(client, name);
  return written;
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
 * Makes written months archived: one transaction drops their partitions, and says where their events are now. Returns false, and
 * changes nothing, if the partitions have other events than those that were written.
 */
export async function replacePartitions(
  owner: pg.Pool,
  scope: EventScope,
  end: string,
  written: WrittenMonth[],
): Promise<boolean> {
  const table = eventTables[scope];
  const expected = {
    rows: written.reduce((sum, { counted }) => sum + counted.rows, 0),
    checksum: written.reduce((sum, { counted }) => sum ^ counted.checksum, 0n),
  };
  try {
    await dropPartitionsBefore(owner, table, end, {
      async prepare(client, partitions) {
        // Late events wait until this transaction ends. Readers, and writers of other months, do not.
        const names = [...partitions.map(({ name }) => name), `${table}_default`];
        await client.query(`LOCK TABLE ${names.join(', ')} IN SHARE MODE`);
        const found = await countEventsOf(client, eventsBefore(scope, end, partitions));
        if (found.rows !== expected.rows || found.checksum !== expected.checksum) throw new ChangedError();
      },
      async alongside(client) {
        await completeParts(
          client,
          written.flatMap(({ parts }) => parts),
        );
        for (const { counted, repeated } of written.filter((month) => month.repeated.length > 0))
          await uncount(client, { tenantId: counted.tenantId, scope }, repeated);
      },
    });
    return true;
  } catch (error) {
    if (error instanceof ChangedError) return false;
    throw error;
  }
}

class ChangedError extends Error {}

/** The SQL of the events that {@link dropPartitionsBefore} deletes. */
function eventsBefore(scope: EventScope, end: string, partitions: Partition[]): string {
  const columns = 'tenant_id, occurred_at, id';
  return [
    ...partitions.map(({ name }) => `SELECT ${columns} FROM ${name}`),
    `SELECT ${columns} FROM ${eventTables[scope]}_default WHERE occurred_at < '${end}T00:00:00Z'`,
  ].join(' UNION ALL ');
}
