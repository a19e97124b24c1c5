import type { Database, Querier } from '../../../../database/database.ts';
import { selectDefinitions, type EventFilter } from '../event-filter.ts';
import { beforeAll, orderOf, type Direction, type EventPosition } from '../event-position.ts';
import type { EventScope } from '../event-row.ts';
import type { StoredEvent } from '../queries.ts';
import { EVENTS_FILE, partName, PROOFS_FILE } from './archive-files.ts';
import { filterConditions } from './archive-filter.ts';
import type { Archive } from './archive.ts';
import type { DuckdbStatement } from './duckdb.ts';
import { isoTime, timeLiteral } from './duckdb-sql.ts';
import { asProblem, fetchParts, type ReadLimits } from './fetch-parts.ts';
import { findPart, type ArchivedPart } from './queries.ts';

/** An event with its position in the order of all events. */
export interface PositionedEvent extends EventPosition {
  event: StoredEvent;
}

/** Archived events after a position, up to another one. */
export interface ArchivedChunk {
  events: PositionedEvent[];
  /** Undefined if there are no more. */
  until: EventPosition | undefined;
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

const LEAST_ROWS = 200;
const MEMORY_MEGABYTES = 256;
const FILES = [EVENTS_FILE, PROOFS_FILE];

/** The position before the oldest event of a part. */
const oldestOf = ({ firstAt }: ArchivedPart): EventPosition => beforeAll(firstAt);

/** The position after the newest event of a part. */
const newestOf = ({ endAt }: ArchivedPart): EventPosition => beforeAll(endAt);

/** The rows of one part that were read and not returned yet. */
interface PartReader {
  part: ArchivedPart;
  rows: PositionedEvent[];
  /** The next row to read. */
  nextRow: number;
  isExhausted: boolean;
}

/** A file has its rows in the order of time. DuckDB skips those beside a range of rows: 4,000 of 10 million take it 0.02 seconds. */
const LEAST_WINDOW = 4_000;
/** If few rows match, the next statement looks at more rows, including those of the next part. A scan of 10 million rows takes DuckDB 0.2 to 0.6 seconds. */
const WINDOW_GROWTH = 16;

/**
 * Reads the archived events of a filter in their order, in chunks. Its memory does not depend on their number. Call it with the parts
 * that a transaction found after blockArchiving(): files do not change, so they may be read after that transaction.
 */
export function createArchivedEvents(
  archive: Archive,
  tenantId: string,
  filter: EventFilter,
  reading: ArchivedReading,
) {
  const { direction, limits } = reading;
  const order = orderOf(direction);
  const [startOf, endOf] = direction === 'asc' ? [oldestOf, newestOf] : [newestOf, oldestOf];
  let readers = new Map<string, PartReader>();
  let definitions: Promise<string[] | undefined> | undefined;
  /** How many rows of a part the next statement looks at. */
  let window = LEAST_WINDOW;

  /** Sets the readers to those of the parts that there are now. A part that was there before keeps its reader. */
  const setReaders = async (parts: ArchivedPart[], after: EventPosition | undefined): Promise<void> => {
    const found = new Map<string, PartReader>();
    for (const part of parts) {
      if (after && order(endOf(part), after) <= 0) continue;
      const name = partName(part);
      found.set(name, readers.get(name) ?? (await openPart(part, after)));
    }
    readers = found;
  };

  /** Reads parts until each of them has rows, or is exhausted. */
  const fill = async (started: PartReader[], definitionIds: string[] | undefined): Promise<void> => {
    const limit = Math.max(LEAST_ROWS, Math.floor(reading.rows / started.length));
    for (const reader of started)
      while (reader.rows.length === 0 && !reader.isExhausted) {
        const selection = { filter, definitions: definitionIds, direction, limit, window };
        await readWindow(archive, reader, selection, reading);
        if (reader.rows.length === limit) window = Math.max(window / WINDOW_GROWTH, LEAST_WINDOW);
        else if (window < reader.part.rows) window *= WINDOW_GROWTH;
      }
  };

  const openPart = async (part: ArchivedPart, after: EventPosition | undefined): Promise<PartReader> => {
    const reader = { part, rows: [], nextRow: direction === 'asc' ? 0 : part.rows - 1 };
    if (!after || order(after, startOf(part)) <= 0) return { ...reader, isExhausted: false };
    const nextRow = await findRowAfter(archive, part, after, reading);
    return { ...reader, nextRow: nextRow ?? 0, isExhausted: nextRow === undefined };
  };

  return {
    /**
     * Returns the next events, of the parts that begin before `until`. An answer without events is not the end if it has a
     * position.
     */
    async next(
      db: Querier,
      parts: ArchivedPart[],
      { after, until }: { after: EventPosition | undefined; until: EventPosition | undefined },
    ): Promise<ArchivedChunk> {
      const wantedParts = parts.filter((part) => !until || order(startOf(part), until) < 0);
      if (wantedParts.length === 0) return { events: [], until: undefined };
      definitions ??= selectDefinitions(db, tenantId, filter);
      const definitionIds = await definitions;
      try {
        await setReaders(wantedParts, after);
        const unfinished = [...readers.values()]
          .filter(({ rows, isExhausted }) => rows.length > 0 || !isExhausted)
          .toSorted((one, other) => order(startOf(one.part), startOf(other.part)));
        if (unfinished.length === 0) return { events: [], until: undefined };
        // Parts of the same time are read together. A part that begins later is read when the others have reached it.
        const first = startOf(unfinished[0]!.part);
        const reached = after && order(after, first) > 0 ? after : first;
        const started = unfinished.filter(({ part }) => order(startOf(part), reached) <= 0);
        await fill(started, definitionIds);
        // Beyond this position there may be events that were not read: later rows of a started part, or the next part.
        const nextPart = unfinished[started.length]?.part;
        const [completeUntil] = [
          ...started.filter(({ isExhausted }) => !isExhausted).map(({ rows }) => rows.at(-1)!),
          ...(nextPart ? [startOf(nextPart)] : []),
        ].toSorted(order);
        return { events: started.flatMap(({ rows }) => rows).toSorted(order), until: completeUntil };
      } catch (error) {
        throw asProblem(error, limits);
      }
    },

    /** Drops the events up to a position, because they were returned. */
    drop(upTo: EventPosition): void {
      for (const reader of readers.values()) reader.rows = reader.rows.filter((row) => order(row, upTo) > 0);
    },
  };
}

/** The number of the first row of a part after a position, if there is one. */
async function findRowAfter(
  archive: Archive,
  part: ArchivedPart,
  after: EventPosition,
  { direction, limits, downloads }: ArchivedReading,
): Promise<number | undefined> {
  const [proofs = ''] = await fetchParts(archive, [part], [PROOFS_FILE], downloads);
  const at = timeLiteral(after.occurredAt);
  const [nearest, comparison] = direction === 'asc' ? ['min', '>'] : ['max', '<'];
  const [rows] = await archive.duckdb(
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
  return (rows![0]!['row'] as number | null) ?? undefined;
}

/** The conditions of a statement that reads a part. */
interface Selection {
  filter: EventFilter;
  definitions: string[] | undefined;
  direction: Direction;
  limit: number;
  window: number;
}

/** Reads the matching rows of the next window of a part. */
async function readWindow(
  archive: Archive,
  reader: PartReader,
  selection: Selection,
  { limits, downloads }: ArchivedReading,
): Promise<void> {
  const { part, nextRow } = reader;
  const { direction, limit, window } = selection;
  const step = direction === 'asc' ? 1 : -1;
  const lastRow = Math.min(Math.max(nextRow + step * (window - 1), 0), part.rows - 1);
  const files = await fetchParts(archive, [part], FILES, downloads);
  const [rows] = (await archive.duckdb(
    {
      statements: [selectRows(files, selection, Math.min(nextRow, lastRow), Math.max(nextRow, lastRow))],
      reads: files,
      memoryMegabytes: MEMORY_MEGABYTES,
    },
    limits,
  )) as unknown as [(StoredEvent & { row: number })[]];
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
    ...filterConditions(filter, definitions, values),
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

const PROBE_LIMITS: ReadLimits = { seconds: 60 };

/** Throws `archive_unavailable` if tenants have archived events and this server cannot read them. It tries one part. */
export async function requireArchive(
  { database, archive }: { database: Database; archive: Archive },
  tenantIds: string[],
): Promise<void> {
  for (const tenantId of tenantIds) {
    const part = await findPart(database.forTenant(tenantId), tenantId);
    if (!part) continue;
    try {
      const files = await fetchParts(archive, [part], FILES, PROBE_LIMITS);
      const text = 'SELECT 1 AS found FROM read_parquet($1), read_parquet($2) LIMIT 1';
      await archive.duckdb({ statements: [{ text, values: files }], reads: files }, PROBE_LIMITS);
    } catch (error) {
      throw asProblem(error, PROBE_LIMITS);
    }
    return;
  }
}
