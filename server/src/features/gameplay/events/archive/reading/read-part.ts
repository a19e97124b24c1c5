import type { EventFilter } from '../../event-filter.ts';
import type { Direction, EventPosition } from '../../event-position.ts';
import type { EventScope } from '../../event-row.ts';
import type { StoredEvent } from '../../reading/queries.ts';
import { PROOFS_FILE, ROW_FILES } from '../parts/archive-files.ts';
import { duckdbConditions } from './archive-filter.ts';
import type { Archive } from '../parts/archive.ts';
import type { DuckdbStatement } from '../duckdb/duckdb.ts';
import { isoTime, timeLiteral } from '../duckdb/duckdb-sql.ts';
import { fetchParts } from './fetch-parts.ts';
import type { ReadLimits } from './read-limits.ts';
import type { ArchivedPart } from '../parts/queries.ts';

/** An event with its position in the order of all events. */
export interface PositionedEvent extends EventPosition {
  event: StoredEvent;
}

export interface ArchivedReading {
  direction: Direction;
  /** Rows in memory, of all parts of the same time together. 4,000 rows have about 2 MiB, and take DuckDB 0.1 seconds. */
  rows: number;
  /** The limits of one DuckDB statement. */
  limits: ReadLimits;
  /** The limits of the download of one part, if it is in a bucket. */
  downloads: ReadLimits;
}

/** The rows of one part that were read and not returned yet. */
export interface PartReader {
  part: ArchivedPart;
  rows: PositionedEvent[];
  /** The next row to read. */
  nextRow: number;
  isExhausted: boolean;
}

/** The number of the first row of a part after a position, if there is one. */
export async function findRowAfter(
  archive: Archive,
  part: ArchivedPart,
  after: EventPosition,
  { direction, limits, downloads }: ArchivedReading,
): Promise<number | undefined> {
  const [proofs = ''] = await fetchParts(archive, [part], [PROOFS_FILE], downloads);
  const at = timeLiteral(after.occurredAt);
  const [nearest, comparison] = direction === 'asc' ? ['min', '>'] : ['max', '<'];
  const [found] = await archive.duckdb(
    {
      statements: [
        {
          text: `
            SELECT ${nearest}(file_row_number)::DOUBLE AS row FROM read_parquet($1, file_row_number = true)
            WHERE occurred_at ${comparison}= ${at} AND (occurred_at ${comparison} ${at} OR idempotency_key ${comparison} $2)`,
          values: [proofs, after.idempotencyKey],
        },
      ],
      reads: [proofs],
    },
    limits,
  );
  return (found!['row'] as number | null) ?? undefined;
}

const MEMORY_MEGABYTES = 256;

/** The conditions of a statement that reads a part. */
interface Selection {
  filter: EventFilter;
  definitions: string[] | undefined;
  direction: Direction;
  limit: number;
  window: number;
}

/** Reads the matching rows of the next window of a part. */
export async function readWindow(
  archive: Archive,
  reader: PartReader,
  selection: Selection,
  { limits, downloads }: ArchivedReading,
): Promise<void> {
  const { part, nextRow } = reader;
  const { direction, limit, window } = selection;
  const step = direction === 'asc' ? 1 : -1;
  const lastRow = Math.min(Math.max(nextRow + step * (window - 1), 0), part.rows - 1);
  const files = await fetchParts(archive, [part], ROW_FILES, downloads);
  const rows = (await archive.duckdb(
    {
      statements: [selectRows(files, selection, Math.min(nextRow, lastRow), Math.max(nextRow, lastRow))],
      reads: files,
      memoryMegabytes: MEMORY_MEGABYTES,
    },
    limits,
  )) as unknown as (StoredEvent & { row: number })[];
  reader.nextRow = (rows.length < limit ? lastRow : rows.at(-1)!.row) + step;
  reader.isExhausted = reader.nextRow < 0 || reader.nextRow >= part.rows;
  reader.rows = rows.map(({ row: _row, ...event }) => ({
    occurredAt: event.occurredAt,
    idempotencyKey: event.idempotencyKey,
    event: {
      ...event,
      occurredAt: asInDatabase(event.occurredAt),
      receivedAt: asInDatabase(event.receivedAt),
    },
  }));
}

/** PostgreSQL writes times without zeros at the end. */
const asInDatabase = (time: string): string => time.replace(/\.?0+Z$/, 'Z');

/** Selects rows of a part, in the order of its files, which is that of times and keys, or in the opposite one. */
function selectRows(
  files: string[],
  { filter, definitions, direction, limit }: Selection,
  firstRow: number,
  lastRow: number,
): DuckdbStatement {
  const { scope, from, to } = filter;
  const values: (string | string[])[] = [...files];
  const conditions = [
    `file_row_number BETWEEN ${firstRow} AND ${lastRow}`,
    ...(from === undefined ? [] : [`occurred_at >= ${timeLiteral(from)}`]),
    ...(to === undefined ? [] : [`occurred_at < ${timeLiteral(to)}`]),
    ...duckdbConditions(filter, definitions, values),
  ];
  // The join also has the time, so that DuckDB skips the other rows of the second file.
  return {
    text: `
      WITH event AS MATERIALIZED (
        SELECT * FROM read_parquet($1, file_row_number = true) WHERE ${conditions.join(' AND ')}
        ORDER BY file_row_number ${direction} LIMIT ${limit})
      SELECT event.file_row_number::DOUBLE AS row, proof.id::VARCHAR AS "eventRecordId",
             event.event_definition_id::VARCHAR AS "eventDefinitionId", event.event_key AS "eventKey",
             event.event_value AS "eventValue", ${ACTORS[scope]}, proof.login_session_id::VARCHAR AS "loginSessionId",
             proof.idempotency_key AS "idempotencyKey", event.value::VARCHAR AS value,
             ${isoTime('event.occurred_at')} AS "occurredAt", ${isoTime('proof.created_at_gl')} AS "receivedAt",
             lower(hex(proof.row_hash)) AS "rowHash"
      FROM event JOIN read_parquet($2, file_row_number = true) proof
        ON proof.file_row_number = event.file_row_number AND proof.occurred_at = event.occurred_at
      ORDER BY event.file_row_number ${direction}`,
    values,
  };
}

const ACTORS: Record<EventScope, string> = {
  match: `event.match_session_id::VARCHAR AS "matchSessionId", proof.match_player_id::VARCHAR AS "matchPlayerId",
             event.player_id::VARCHAR AS "playerId"`,
  player: `event.player_id::VARCHAR AS "playerId"`,
};
