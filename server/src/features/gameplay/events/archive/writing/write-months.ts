import type pg from 'pg';
import { listPartitionsBefore } from '../../../../../database/partitions/drop-partitions.ts';
import { ownerQuerier } from '../../../../../database/scope.ts';
import { eventTables, type EventScope } from '../../event-row.ts';
import { findRollupStart } from '../../rollups/rollup-start.ts';
import {
  listFolderNumbers,
  removePart,
  type MonthRef,
  type PartRef,
  type StoredPart,
  type WrittenPart,
} from '../parts/archive-files.ts';
import type { Archive } from '../parts/archive.ts';
import { captureLateEvents } from './late-events.ts';
import {
  countMonths,
  listPartsOfMonth,
  registerPart,
  takePartNumber,
  unregisterPart,
  type MonthOfEvents,
} from '../parts/queries.ts';
import { splitMonth, type RowRange } from './spool-events.ts';
import { writePart, type PartWriter, type WrittenEvents } from './write-part.ts';

/**
 * S3 takes at most 5 GiB in one request. A row with the longest keys has 352 bytes before compression, so a file of this many rows has at
 * most 3.5 GB. Usually it has 0.9 GB.
 */
const ROWS_OF_PART = 10_000_000;

/** A run that archives events. */
export interface ArchiveRun {
  owner: pg.Pool;
  /** The connection that has the lock of the archive. */
  client: pg.ClientBase;
  archive: Archive;
}

/** The parts that have the events of partitions which were there when the run began, and were not archived before. */
export interface WrittenMonths {
  partitions: string[];
  checksum: bigint;
  parts: WrittenPart[];
  /** The number of events that no part has, because retention has dropped their months. */
  dropped: number;
}

/** Writes the parts of all events of a scope from before a day. PostgreSQL keeps these events. */
export async function writeMonths(
  { owner, client, archive }: ArchiveRun,
  scope: EventScope,
  end: string,
): Promise<WrittenMonths> {
  const partitions = (await listPartitionsBefore(client, eventTables[scope], end)).map(({ name }) => name);
  const reader = await owner.connect();
  let broken: Error | undefined;
  try {
    // One snapshot has the events of all months. The first query of `reader` takes it. Other statements commit on `client`.
    await captureLateEvents(client, scope, partitions, end, async () => {
      await reader.query(
        `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO';
         SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1`,
      );
    });
    const months = await countMonths(reader, eventsBefore(scope, end, partitions));
    const start = await findRollupStart(ownerQuerier(client), scope);
    const parts: WrittenPart[] = [];
    let dropped = 0;
    for (const counted of months)
      // Retention has dropped a month from before the start, and these events arrived later.
      if (start !== undefined && `${counted.month}-01` < start) dropped += counted.rows;
      else parts.push(...(await writeMonth({ reader, client, archive }, scope, counted)));
    await reader.query('COMMIT');
    return { partitions, checksum: months.reduce((sum, { checksum }) => sum ^ checksum, 0n), parts, dropped };
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    reader.release(broken);
  }
}

/** Writes the events of a month as new parts, without those that an earlier part has. */
async function writeMonth(
  writer: PartWriter,
  scope: EventScope,
  counted: MonthOfEvents,
): Promise<WrittenPart[]> {
  const { reader, client, archive } = writer;
  const { rowsOfPart = ROWS_OF_PART } = archive;
  const month = { tenantId: counted.tenantId, scope, month: counted.month };
  const earlier = await listPartsOfMonth(client, month);
  const ranges: RowRange[] = counted.rows > rowsOfPart ? await splitMonth(reader, month, rowsOfPart) : [{}];
  const parts: WrittenPart[] = [];
  let rows = 0;
  const last = await findLastNumber(archive, month, earlier);
  for (const range of ranges) {
    const ref = { ...month, part: await takePartNumber(client, last) };
    const { part, repeated } = await writeRange(writer, ref, range, earlier);
    rows += repeated + (part?.rows ?? 0);
    if (part) parts.push(part);
  }
  if (rows !== counted.rows)
    throw new Error(
      `${rows} of ${counted.rows} ${scope} events of ${month.month} of tenant ${month.tenantId} were written.`,
    );
  return parts;
}

/** Writes a range of the events of a month as a new part, without those that an earlier part has. */
async function writeRange(
  writer: PartWriter,
  part: PartRef,
  range: RowRange,
  earlier: StoredPart[],
): Promise<WrittenEvents> {
  const { client, archive } = writer;
  await registerPart(client, part);
  try {
    const written = await writePart(writer, part, range, earlier);
    if (!written.part) await unregisterPart(client, part);
    return written;
  } catch (error) {
    // If the disk is full, PostgreSQL may not answer until these files are gone.
    await removePart(archive.root, part);
    throw error;
  }
}

/** The highest number of the parts of a month, including folders and objects that no row of the database names. */
async function findLastNumber(
  { root, bucket }: Archive,
  month: MonthRef,
  registered: PartRef[],
): Promise<number> {
  const stored = ((await bucket?.listParts(month.tenantId)) ?? []).filter(
    (part) => part.scope === month.scope && part.month === month.month,
  );
  const numbers = await listFolderNumbers(root, month);
  return Math.max(0, ...numbers, ...[...registered, ...stored].map(({ part }) => part));
}

/** The SQL of the events that dropPartitionsBefore() deletes. */
export function eventsBefore(scope: EventScope, end: string, partitions: string[]): string {
  const columns = 'tenant_id, occurred_at, id';
  return [
    ...partitions.map((name) => `SELECT ${columns} FROM ${name}`),
    `SELECT ${columns} FROM ${eventTables[scope]}_default WHERE occurred_at < '${end}T00:00:00Z'`,
  ].join(' UNION ALL ');
}
