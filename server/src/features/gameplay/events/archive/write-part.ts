import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { version } from '../../../../core/version.ts';
import type { EventScope } from '../event-row.ts';
import {
  createDraft,
  draftFolder,
  EVENTS_FILE,
  partFolder,
  PROOFS_FILE,
  publishDraft,
  type PartName,
} from './archive-files.ts';
import type { Duckdb, DuckdbStatement } from './duckdb.ts';
import { inUtc, isoTime, literal } from './duckdb-sql.ts';
import { eventColumns, proofColumns, type Column } from './part-columns.ts';
import { ROWS_ORDER, spooled, spoolEvents, type RowRange } from './spool-events.ts';

/** What a written part holds. */
export interface WrittenPart extends PartName {
  rows: number;
  bytes: number;
  firstAt: string;
  lastAt: string;
  manifestHash: Buffer;
}

/** Events that were archived before and stored again, by definition and minute. Sums hold decimal digits. */
export interface RepeatedEvents {
  startsAt: string;
  definitionId: string;
  events: number;
  values: number;
  sum: string | null;
}

/** The events of a range that were found in PostgreSQL: those of a new part, and those of earlier parts. */
export interface WrittenEvents {
  /** Undefined: all events were archived before. */
  part: WrittenPart | undefined;
  repeated: RepeatedEvents[];
}

interface Figures {
  rows: number;
  firstAt: string;
  lastAt: string;
  unpaired: number;
}

/** The rows of PostgreSQL, on their way to the files. */
const SPOOL_FILE = 'rows.csv.zst';
/** The space of DuckDB for rows that do not fit into memory. */
const SPILL_FOLDER = 'spill';
const WRITING_SECONDS = 6 * 60 * 60;
const MEMORY_MEGABYTES = 512;
const MAX_REPEATED = 500_000;

/**
 * Writes a range of the events of one tenant, scope and month as a new part. Its memory does not depend on their number. `client` is in a
 * transaction of the owner, whose snapshot says which events there are. Events that one of the `earlier` parts has are left out and
 * counted: their idempotency keys were archived, so PostgreSQL has stored them again.
 */
export async function writePart(
  client: pg.ClientBase,
  duckdb: Duckdb,
  root: string,
  name: PartName,
  range: RowRange,
  earlier: PartName[],
): Promise<WrittenEvents> {
  const { scope } = name;
  const draft = await createDraft(root, name);
  await spoolEvents(client, name, range, join(draft, SPOOL_FILE));
  const archived = earlier.map((one) => join(partFolder(root, one), PROOFS_FILE));
  const [, , figures, repeated = []] = (await duckdb(
    {
      statements: statementsOf(scope, draft, archived),
      reads: archived,
      writes: [draft],
      temporary: join(draft, SPILL_FOLDER),
      memoryMegabytes: MEMORY_MEGABYTES,
      maxRows: MAX_REPEATED + 1,
    },
    { seconds: WRITING_SECONDS },
  )) as [unknown, unknown, [Figures], RepeatedEvents[]?];
  const { rows, firstAt, lastAt, unpaired } = figures[0];
  if (unpaired > 0) throw new Error(`The two files of ${draft} have their rows in different orders.`);
  if (repeated.length > MAX_REPEATED)
    throw new Error(`More than ${MAX_REPEATED} counts of repeated events in ${draft}.`);
  for (const leftover of [SPOOL_FILE, SPILL_FOLDER])
    await rm(join(draft, leftover), { recursive: true, force: true });
  if (rows === 0) {
    await rm(draftFolder(root, name), { recursive: true });
    return { part: undefined, repeated };
  }
  const typesOf = (columns: Column[]) =>
    Object.fromEntries(columns.map(({ name: column, type }) => [column, type]));
  const published = await publishDraft(
    root,
    {
      format: 1,
      guildhall: version,
      createdAt: new Date().toISOString(),
      ...name,
      rows,
      firstAt,
      lastAt,
      sortedBy: ROWS_ORDER,
    },
    { [EVENTS_FILE]: typesOf(eventColumns(scope)), [PROOFS_FILE]: typesOf(proofColumns(scope)) },
  );
  return { part: { ...name, rows, firstAt, lastAt, ...published }, repeated };
}

/** Writes both files of a part, checks them, and counts the events of the spool that the `archived` files have. */
function statementsOf(scope: EventScope, draft: string, archived: string[]): DuckdbStatement[] {
  const [spool, events, proofs] = [
    join(draft, SPOOL_FILE),
    join(draft, EVENTS_FILE),
    join(draft, PROOFS_FILE),
  ];
  const isArchived = `EXISTS (
    SELECT 1 FROM read_parquet($2) archived
    WHERE archived.occurred_at = event.occurred_at AND archived.idempotency_key = event.idempotency_key)`;
  // The rows of the spool are sorted. A join may change their order.
  const fresh = archived.length > 0 ? `WHERE NOT ${isArchived} ORDER BY ${ROWS_ORDER.join(', ')}` : '';
  const write = (columns: Column[], file: string): DuckdbStatement => ({
    text: `
      COPY (SELECT ${columns.map(selected).join(', ')} FROM ${spooled(scope)} event ${fresh})
      TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd)`,
    values: archived.length > 0 ? [spool, archived] : [spool],
  });
  const check: DuckdbStatement = {
    text: `
      SELECT count(*)::INTEGER AS rows, ${isoTime('min(event.occurred_at)')} AS "firstAt",
             ${isoTime('max(event.occurred_at)')} AS "lastAt",
             (count(*) FILTER (WHERE event.occurred_at IS DISTINCT FROM proof.occurred_at))::INTEGER AS unpaired
      FROM read_parquet($1) event POSITIONAL JOIN read_parquet($2) proof`,
    values: [events, proofs],
  };
  const countRepeated: DuckdbStatement = {
    text: `
      SELECT * REPLACE (${isoTime('"startsAt"')} AS "startsAt") FROM (
        SELECT date_trunc('minute', ${inUtc('occurred_at')}) AS "startsAt", event_definition_id AS "definitionId",
               count(*)::INTEGER AS events, count(value)::INTEGER AS values, sum(value)::VARCHAR AS sum
        FROM ${spooled(scope)} event WHERE ${isArchived} GROUP BY ALL)`,
    values: [spool, archived],
  };
  return [
    write(eventColumns(scope), events),
    write(proofColumns(scope), proofs),
    check,
    ...(archived.length > 0 ? [countRepeated] : []),
  ];
}

const selected = ({ name, type }: Column): string =>
  type === 'BLOB' ? `unhex(event.${name}) AS ${name}` : `event.${name}`;
