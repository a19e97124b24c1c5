import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { version } from '../../../../../core/version.ts';
import {
  completeDraft,
  createDraft,
  EVENTS_FILE,
  partFolder,
  PROOFS_FILE,
  publishDraft,
  removePart,
  type PartRef,
  type StoredPart,
  type WrittenPart,
} from '../parts/archive-files.ts';
import type { Archive } from '../parts/archive.ts';
import type { DuckdbStatement } from '../duckdb/duckdb.ts';
import { inUtc, isoTime, literal } from '../duckdb/duckdb-sql.ts';
import { addRepeated } from './late-events.ts';
import { eventColumns, proofColumns, type Column } from '../parts/part-columns.ts';
import { ROWS_ORDER, spooled, spoolEvents, type RowRange } from './spool-events.ts';

/** The events of a range that were found in PostgreSQL: those of a new part, and those of earlier parts. */
export interface WrittenEvents {
  /** Undefined if all events were archived before. */
  part: WrittenPart | undefined;
  /** The number of events that earlier parts have. */
  repeated: number;
}

interface Figures {
  rows: number;
  firstAt: string;
  lastAt: string;
  unpaired: number;
  repeated: number;
}

/** The rows of PostgreSQL, on their way to the files. */
const SPOOL_FILE = 'rows.csv.zst';
/** The space of DuckDB for rows that do not fit into memory. */
const SPILL_FOLDER = 'spill';
/** The counts of repeated events, by definition and minute. */
const REPEATED_FILE = 'repeated.csv';
const WRITING_SECONDS = 6 * 60 * 60;
const MEMORY_MEGABYTES = 512;

/** The connections that write parts, and where. */
export interface PartWriter {
  /** Reads the events, in a transaction of the owner with one snapshot. */
  reader: pg.ClientBase;
  /** Registers parts and counts repeated events. Each of its statements commits. */
  client: pg.ClientBase;
  archive: Archive;
}

/**
 * Writes a range of the events of one tenant, scope and month as a new part, and uploads it if there is a bucket. Its memory does not
 * depend on their number. Events that one of the `earlier` parts has are left out, and counted by `client`: their idempotency keys were
 * archived, so PostgreSQL has stored them again.
 */
export async function writePart(
  { reader, client, archive }: PartWriter,
  part: PartRef,
  range: RowRange,
  earlier: StoredPart[],
): Promise<WrittenEvents> {
  const { scope } = part;
  const { root, bucket, duckdb } = archive;
  const draft = await createDraft(root, part);
  await spoolEvents(reader, part, range, join(draft, SPOOL_FILE));
  await bucket?.fetch(earlier, [PROOFS_FILE], { mayExceedCache: true });
  const archivedFiles = earlier.map((one) => join(partFolder(root, one), PROOFS_FILE));
  const [figures] = await duckdb(
    {
      statements: statementsOf(part, draft, archivedFiles),
      reads: archivedFiles,
      writes: [draft],
      temporary: join(draft, SPILL_FOLDER),
      memoryMegabytes: MEMORY_MEGABYTES,
    },
    { seconds: WRITING_SECONDS },
  );
  const { rows, firstAt, lastAt, unpaired, repeated } = figures as unknown as Figures;
  if (unpaired > 0) throw new Error(`The two files of ${draft} have their rows in different orders.`);
  if (repeated > 0) await addRepeated(client, scope, join(draft, REPEATED_FILE));
  for (const leftover of [SPOOL_FILE, SPILL_FOLDER, REPEATED_FILE])
    await rm(join(draft, leftover), { recursive: true, force: true });
  if (rows === 0) {
    await removePart(root, part);
    return { part: undefined, repeated };
  }
  // DuckDB may work for hours. If the session that has the lock of the archive has ended, another run may have begun.
  await client.query('SELECT 1');
  const typesOf = (columns: Column[]) =>
    Object.fromEntries(columns.map(({ name: column, type }) => [column, type]));
  const completed = await completeDraft(
    root,
    {
      format: 1,
      guildhall: version,
      createdAt: new Date().toISOString(),
      ...part,
      rows,
      firstAt,
      lastAt,
      sortedBy: ROWS_ORDER,
    },
    { [EVENTS_FILE]: typesOf(eventColumns(scope)), [PROOFS_FILE]: typesOf(proofColumns(scope)) },
  );
  // Before the folder has its name: otherwise, a download of another process may delete the files, to make room.
  await bucket?.upload(part);
  await publishDraft(root, part);
  return { part: { ...part, rows, firstAt, lastAt, ...completed }, repeated };
}

/** Writes both files of a part, counts the events of the spool that the `archived` files have, and checks what it has written. */
function statementsOf({ tenantId, scope }: PartRef, draft: string, archived: string[]): DuckdbStatement[] {
  const [spool, events, proofs, repeated] = [
    join(draft, SPOOL_FILE),
    join(draft, EVENTS_FILE),
    join(draft, PROOFS_FILE),
    join(draft, REPEATED_FILE),
  ];
  const hasEarlier = archived.length > 0;
  const isArchived = `EXISTS (
    SELECT 1 FROM read_parquet($2) archived
    WHERE archived.occurred_at = event.occurred_at AND archived.idempotency_key = event.idempotency_key)`;
  // The rows of the spool are sorted. A join may change their order.
  const fresh = hasEarlier ? `WHERE NOT ${isArchived} ORDER BY ${ROWS_ORDER.join(', ')}` : '';
  const copy = (query: string, file: string, format: string): DuckdbStatement => ({
    text: `COPY (${query}) TO ${literal(file)} (FORMAT ${format})`,
    values: hasEarlier ? [spool, archived] : [spool],
  });
  const copyColumns = (columns: Column[], file: string): DuckdbStatement =>
    copy(
      `SELECT ${columns.map(selected).join(', ')} FROM ${spooled(scope)} event ${fresh}`,
      file,
      'parquet, COMPRESSION zstd',
    );
  const countRepeated = `
    SELECT ${literal(tenantId)}, * REPLACE (${isoTime('starts_at')} AS starts_at) FROM (
      SELECT date_trunc('minute', ${inUtc('occurred_at')}) AS starts_at, event_definition_id, count(*), count(value), sum(value)
      FROM ${spooled(scope)} event WHERE ${isArchived} GROUP BY ALL)`;
  const sumRepeated = `(
    SELECT coalesce(sum(events), 0)::INTEGER
    FROM read_csv(${literal(repeated)}, auto_detect = false, header = false, columns = {
      tenant_id: 'VARCHAR', starts_at: 'VARCHAR', definition_id: 'VARCHAR', events: 'BIGINT', value_count: 'BIGINT', value_sum: 'VARCHAR'}))`;
  const check: DuckdbStatement = {
    text: `
      SELECT count(*)::INTEGER AS rows, ${isoTime('min(event.occurred_at)')} AS "firstAt",
             ${isoTime('max(event.occurred_at)')} AS "lastAt",
             (count(*) FILTER (WHERE event.occurred_at IS DISTINCT FROM proof.occurred_at))::INTEGER AS unpaired,
             ${hasEarlier ? sumRepeated : '0'} AS repeated
      FROM read_parquet($1) event POSITIONAL JOIN read_parquet($2) proof`,
    values: [events, proofs],
  };
  return [
    copyColumns(eventColumns(scope), events),
    copyColumns(proofColumns(scope), proofs),
    ...(hasEarlier ? [copy(countRepeated, repeated, 'csv, HEADER false')] : []),
    check,
  ];
}

const selected = ({ name, type }: Column): string =>
  type === 'BLOB' ? `unhex(event.${name}) AS ${name}` : `event.${name}`;
