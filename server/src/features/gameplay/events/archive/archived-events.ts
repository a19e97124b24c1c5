import type { Database, Querier } from '../../../../database/database.ts';
import { toMicroseconds } from '../../../../core/timestamps.ts';
import type { EventFilter, EventPosition } from '../event-filter.ts';
import type { EventScope } from '../event-row.ts';
import type { StoredEvent } from '../queries.ts';
import { EVENTS_FILE, partName, PROOFS_FILE } from './archive-files.ts';
import type { Archive } from './create-archive.ts';
import type { DuckdbStatement } from './duckdb.ts';
import { isoTime, timeLiteral } from './duckdb-sql.ts';
import { asProblem, fetchParts, type ReadLimits } from './fetch-parts.ts';
import { findPart, type ArchivedPart } from './queries.ts';
import { filterConditions, selectDefinitions } from './read-archive.ts';

/** An event with its place in the order of all events. `at` is its time in the format of toMicroseconds(). */
export interface PlacedEvent {
  at: string;
  key: string;
  event: StoredEvent;
}

/** The archived events after a position, up to another one. */
export interface ArchivedChunk {
  events: PlacedEvent[];
  /** Undefined: there are no more. */
  until: EventPosition | undefined;
}

/** Rows in memory of one export, of all parts of the same time together. 4,000 rows have about 2 MiB, and take DuckDB 0.1 seconds. */
const ROWS_IN_MEMORY = 4_000;
const LEAST_ROWS = 200;
const MEMORY_MEGABYTES = 256;
/** A player without events in a part of 100 million costs a scan of it. */
const LIMITS: ReadLimits = { seconds: 60 };
/** For the files of one part, if they are in a bucket. */
const DOWNLOAD_LIMITS: ReadLimits = { seconds: 300 };
const FILES = [EVENTS_FILE, PROOFS_FILE];

/** Whether the first place comes before the second one. Keys are compared by their bytes, as PostgreSQL and DuckDB do. */
export function comparePlaces(a: { at: string; key: string }, b: { at: string; key: string }): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.key === b.key ? 0 : Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}

/** The rows of one part that were read and not returned yet. */
interface PartReader {
  part: ArchivedPart;
  rows: PlacedEvent[];
  /** The first row that was not read. */
  nextRow: number;
  isExhausted: boolean;
}

const startOf = ({ part }: PartReader): string => toMicroseconds(part.firstAt)!;

/**
 * Reads the archived events of a filter in their order, in chunks. Its memory does not depend on their number. Call it with the parts
 * that a transaction found after keepFromArchiving(): files do not change, so they may be read after that transaction.
 */
export function createArchivedEvents(archive: Archive, tenantId: string, filter: EventFilter) {
  let readers = new Map<string, PartReader>();
  let definitions: Promise<string[] | undefined> | undefined;

  /** Continues with the parts that there are now. */
  const follow = async (parts: ArchivedPart[], after: EventPosition | undefined): Promise<void> => {
    const found = new Map<string, PartReader>();
    for (const part of parts) {
      if (after && toMicroseconds(part.lastAt)! < toMicroseconds(after.occurredAt)!) continue;
      const name = partName(part);
      const known = readers.get(name);
      const nextRow = known || !after ? 0 : await findRowAfter(archive, part, after);
      found.set(name, known ?? { part, rows: [], nextRow, isExhausted: false });
    }
    readers = found;
  };

  return {
    /** Returns the next events. An answer without events is not the end if it has a position. */
    async next(db: Querier, parts: ArchivedPart[], after: EventPosition | undefined): Promise<ArchivedChunk> {
      if (parts.length === 0) return { events: [], until: undefined };
      definitions ??= selectDefinitions(db, tenantId, filter);
      const wanted = await definitions;
      try {
        await follow(parts, after);
        const open = [...readers.values()]
          .filter(({ rows, isExhausted }) => rows.length > 0 || !isExhausted)
          .toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1));
        if (open.length === 0) return { events: [], until: undefined };
        const [first, position] = [startOf(open[0]!), after && toMicroseconds(after.occurredAt)!];
        const reached = position !== undefined && position > first ? position : first;
        const started = open.filter((reader) => startOf(reader) <= reached);
        const limit = Math.max(LEAST_ROWS, Math.floor(ROWS_IN_MEMORY / started.length));
        for (const reader of started)
          if (reader.rows.length === 0 && !reader.isExhausted)
            await fill(archive, reader, filter, wanted, limit);
        const ends = started.filter(({ isExhausted }) => !isExhausted).map(({ rows }) => rows.at(-1)!);
        const following = open[started.length];
        // No key is empty, so this is the place before the first event of a part.
        const end = [...ends, ...(following ? [{ at: startOf(following), key: '' }] : [])].toSorted(
          comparePlaces,
        )[0];
        return {
          events: started.flatMap(({ rows }) => rows).toSorted(comparePlaces),
          until: end && { occurredAt: end.at, idempotencyKey: end.key },
        };
      } catch (error) {
        throw asProblem(error, LIMITS);
      }
    },

    /** Drops the events up to a position, because they were returned. */
    drop(upTo: { at: string; key: string }): void {
      for (const reader of readers.values())
        reader.rows = reader.rows.filter((row) => comparePlaces(row, upTo) > 0);
    },
  };
}

/** The number of the first row of a part after a position. */
async function findRowAfter(archive: Archive, part: ArchivedPart, after: EventPosition): Promise<number> {
  const [proofs = ''] = await fetchParts(archive, [part], [PROOFS_FILE], DOWNLOAD_LIMITS);
  const at = timeLiteral(after.occurredAt);
  const [rows] = await archive.duckdb(
    {
      statements: [
        {
          text: `
            SELECT min(file_row_number)::DOUBLE AS row FROM read_parquet($1, file_row_number = true)
            WHERE occurred_at >= ${at} AND (occurred_at > ${at} OR idempotency_key > $2)`,
          values: [proofs, after.idempotencyKey],
        },
      ],
      reads: [proofs],
    },
    LIMITS,
  );
  return (rows![0]!['row'] as number | null) ?? part.rows;
}

/** Reads the next matching rows of a part. */
async function fill(
  archive: Archive,
  reader: PartReader,
  filter: EventFilter,
  definitions: string[] | undefined,
  limit: number,
): Promise<void> {
  const { part, nextRow } = reader;
  const files = await fetchParts(archive, [part], FILES, DOWNLOAD_LIMITS);
  const [rows] = (await archive.duckdb(
    {
      statements: [selectRows(files, filter, definitions, nextRow, limit)],
      reads: files,
      memoryMegabytes: MEMORY_MEGABYTES,
    },
    LIMITS,
  )) as unknown as [(StoredEvent & { row: number })[]];
  reader.isExhausted = rows.length < limit;
  reader.nextRow = (rows.at(-1)?.row ?? part.rows) + 1;
  reader.rows = rows.map(({ row: _row, ...event }) => ({
    at: event.occurredAt,
    key: event.idempotencyKey,
    event: {
      ...event,
      occurredAt: asInDatabase(event.occurredAt),
      receivedAt: asInDatabase(event.receivedAt),
    },
  }));
}

/** PostgreSQL writes times without zeros at the end. */
const asInDatabase = (time: string): string => time.replace(/\.?0+Z$/, 'Z');

/** Selects the next rows of a part in the order of its files, which is that of times and keys. */
function selectRows(
  files: string[],
  filter: EventFilter,
  definitions: string[] | undefined,
  nextRow: number,
  limit: number,
): DuckdbStatement {
  const { scope, from, to } = filter;
  const values: (string | string[])[] = [...files];
  const conditions = [
    `file_row_number >= ${nextRow}`,
    ...(from === undefined ? [] : [`occurred_at >= ${timeLiteral(from)}`]),
    ...(to === undefined ? [] : [`occurred_at < ${timeLiteral(to)}`]),
    ...filterConditions(filter, definitions, values),
  ];
  // The join also has the time, so that DuckDB skips the other rows of the second file.
  return {
    text: `
      WITH event AS MATERIALIZED (
        SELECT * FROM read_parquet($1, file_row_number = true) WHERE ${conditions.join(' AND ')}
        ORDER BY file_row_number LIMIT ${limit})
      SELECT event.file_row_number::DOUBLE AS row, proof.id::VARCHAR AS "eventRecordId",
             event.event_definition_id::VARCHAR AS "eventDefinitionId", event.event_key AS "eventKey",
             event.event_value AS "eventValue", ${ACTORS[scope]}, proof.login_session_id::VARCHAR AS "loginSessionId",
             proof.idempotency_key AS "idempotencyKey", event.value::VARCHAR AS value,
             ${isoTime('event.occurred_at')} AS "occurredAt", ${isoTime('proof.created_at_gl')} AS "receivedAt",
             lower(hex(proof.row_hash)) AS "rowHash"
      FROM event JOIN read_parquet($2, file_row_number = true) proof
        ON proof.file_row_number = event.file_row_number AND proof.occurred_at = event.occurred_at
      ORDER BY event.file_row_number`,
    values,
  };
}

const ACTORS: Record<EventScope, string> = {
  match: `event.match_session_id::VARCHAR AS "matchSessionId", proof.match_player_id::VARCHAR AS "matchPlayerId",
             event.player_id::VARCHAR AS "playerId"`,
  player: `event.player_id::VARCHAR AS "playerId"`,
};

/** Throws `archive_unavailable` if tenants have archived events and this server cannot read them. It tries one part. */
export async function requireArchive(
  { database, archive }: { database: Database; archive: Archive },
  tenantIds: string[],
): Promise<void> {
  for (const tenantId of tenantIds) {
    const part = await findPart(database.forTenant(tenantId), tenantId);
    if (!part) continue;
    try {
      const files = await fetchParts(archive, [part], FILES, LIMITS);
      const text = 'SELECT 1 AS found FROM read_parquet($1), read_parquet($2) LIMIT 1';
      await archive.duckdb({ statements: [{ text, values: files }], reads: files }, LIMITS);
    } catch (error) {
      throw asProblem(error, LIMITS);
    }
    return;
  }
}
