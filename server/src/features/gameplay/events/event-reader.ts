import type { Database, Querier } from '../../../database/database.ts';
import { cursorPage, type CursorPage } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { BUCKET_MS, requireFewBuckets } from './buckets.ts';
import type { Archive } from './archive/create-archive.ts';
import { createArchivedEvents, orderOf, placeOf, type ArchivedReading } from './archive/archived-events.ts';
import { countArchived, blockArchiving } from './archive/read-archive.ts';
import { selectPartsOf, type ArchivedPart, type PartRange } from './archive/queries.ts';
import { filterCondition, type EventFilter, type EventPosition } from './event-filter.ts';
import type { EventScope } from './event-row.ts';
import {
  chooseAccessPath,
  chooseCountPath,
  selectEvents,
  type AccessPath,
  type StoredEvent,
} from './queries.ts';
import { timesBesideRollups } from './rollups/counted-events.ts';
import { countEvents, type SummaryOptions, type SummaryRow } from './summary-sql.ts';

/** The places that store events: the database, and the archive of past months. */
export interface EventSources {
  database: Database;
  archive: Archive;
}

/** After this time, a page of a list ends with what was found. */
const LIST_SECONDS = 3;
/** Of one statement of DuckDB for a list, and of a download. A download continues after it. */
const LIST_LIMITS = { seconds: 15 };

/**
 * Reads a page of a tenant's events, newest first, archived ones included. A page that had to look through many archived events may
 * have fewer events than `limit`, or none, and a next page. Throws `invalid_request` if the cursor is malformed,
 * `archive_unavailable` if the page needs the archive and this server cannot read it, and `query_timeout`.
 */
export async function readEvents(
  { database, archive }: EventSources,
  tenantId: string,
  filter: EventFilter,
  { limit, cursor }: { limit: number; cursor: string | undefined },
  { seconds = LIST_SECONDS } = {},
): Promise<CursorPage<StoredEvent>> {
  const start = cursor === undefined ? undefined : decodeCursor(cursor);
  const endsAt = performance.now() + seconds * 1000;
  // While DuckDB reads, the transaction keeps the turn of the tenant among large reads.
  return database.heavy.forTenant(tenantId).transaction(async (transaction) => {
    const reader = createEventReader(archive, tenantId, filter, {
      direction: 'desc',
      rows: limit + 1,
      liveRows: limit + 1,
      limits: LIST_LIMITS,
      downloads: LIST_LIMITS,
      path: await chooseAccessPath(transaction, tenantId, filter),
    });
    const found: StoredEvent[] = [];
    let after = start;
    do {
      const chunk = await reader.merge(transaction, await reader.find(transaction, after));
      found.push(...chunk.events);
      after = chunk.until;
    } while (after && found.length <= limit && performance.now() < endsAt);
    return found.length <= limit && after
      ? { items: found, hasMore: true, nextCursor: encodeCursor(after) }
      : cursorPage(found, limit, encodeCursor);
  });
}

/** Rows of PostgreSQL that an export reads and serialises at a time. 500 rows take 8 ms to become CSV. */
const EXPORT_CHUNK = 500;
/** Rows of the archive that an export has in memory. */
const EXPORT_ROWS = 4_000;
/** A player without events in a part of 100 million costs a scan of it. */
const EXPORT_LIMITS = { seconds: 60 };
/** Of the files of a part, if they are in a bucket. */
const EXPORT_DOWNLOADS = { seconds: 300 };

/**
 * Yields all events of a filter in chunks, oldest first, archived ones included. An event that was archived and stored again is yielded
 * once. The first chunk throws `archive_unavailable` if this server cannot read the archive.
 */
export async function* exportEvents(
  { database, archive }: EventSources,
  tenantId: string,
  filter: EventFilter,
): AsyncGenerator<StoredEvent[]> {
  const tenant = database.heavy.forTenant(tenantId, { patient: true });
  const reader = createEventReader(archive, tenantId, filter, {
    direction: 'asc',
    rows: EXPORT_ROWS,
    liveRows: EXPORT_CHUNK,
    limits: EXPORT_LIMITS,
    downloads: EXPORT_DOWNLOADS,
    path: await chooseAccessPath(tenant, tenantId, filter),
  });
  let after: EventPosition | undefined;
  do {
    // DuckDB reads after the transaction, so that a long export keeps no connection.
    const found = await tenant.transaction((transaction) => reader.find(transaction, after));
    const { events, until } = await reader.merge(tenant, found);
    for (let start = 0; start < events.length; start += EXPORT_CHUNK)
      yield events.slice(start, start + EXPORT_CHUNK);
    after = until;
    // Lets other exports read.
    if (events.length === 0 && after) yield [];
  } while (after);
}

/** What a transaction found after a position. */
interface FoundEvents {
  after: EventPosition | undefined;
  parts: ArchivedPart[];
  live: StoredEvent[];
}

interface EventReading extends ArchivedReading {
  path: AccessPath;
  /** Rows of PostgreSQL that are read at a time. */
  liveRows: number;
}

/**
 * Reads the events of a filter in the order of their positions, those of PostgreSQL and those of the archive. Of an event that was
 * archived and stored again, it has the archived one.
 */
function createEventReader(
  archive: Archive,
  tenantId: string,
  filter: EventFilter,
  { path, liveRows, ...reading }: EventReading,
) {
  const { direction } = reading;
  const order = orderOf(direction);
  const archived = createArchivedEvents(archive, tenantId, filter, reading);
  return {
    /** Finds the next events of PostgreSQL, and the parts of the archive. Until the transaction ends, no event moves between them. */
    async find(transaction: Querier, after: EventPosition | undefined): Promise<FoundEvents> {
      await blockArchiving(transaction, filter.scope);
      return {
        after,
        parts: await selectPartsOf(transaction, tenantId, partRange(filter)),
        live: await selectEvents(transaction, tenantId, filter, { after, direction, limit: liveRows, path }),
      };
    },

    /** Returns all events up to a position, which is undefined if there are no more. They may be none. */
    async merge(
      db: Querier,
      { after, parts, live }: FoundEvents,
    ): Promise<{ events: StoredEvent[]; until: EventPosition | undefined }> {
      const liveUntil = live.length < liveRows ? undefined : live.at(-1);
      const old = await archived.next(db, parts, { after, until: liveUntil });
      const [until] = [liveUntil, old.until]
        .filter((position) => position !== undefined)
        .toSorted((a, b) => order(placeOf(a), placeOf(b)));
      const end = until && placeOf(until);
      const events = [...old.events, ...live.map((event) => ({ ...placeOf(event), event }))]
        .filter((event) => !end || order(event, end) <= 0)
        .toSorted(order)
        .filter((event, index, all) => index === 0 || order(all[index - 1]!, event) !== 0)
        .map(({ event }) => event);
      if (until) archived.drop(until);
      return { events, until };
    },
  };
}

const partRange = ({ scope, from, to }: EventFilter): PartRange => ({
  scope,
  from: from === undefined ? undefined : toMicroseconds(from),
  to: to === undefined ? undefined : toMicroseconds(to),
});

/**
 * Yields all events of a player in a tenant in chunks, oldest first, ready for `JSON.stringify`. `playerId` lists all
 * profiles of the player.
 */
export async function* exportEventsOfPlayer(
  sources: EventSources,
  tenantId: string,
  scope: EventScope,
  playerId: string[],
): AsyncGenerator<object[]> {
  for await (const chunk of exportEvents(sources, tenantId, { scope, playerId }))
    yield chunk.map(withExactValue);
}

/** Available since Node 22. The type definitions do not declare it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** Prepares an event for `JSON.stringify`, which then writes all digits of its 64-bit value. */
export function withExactValue(event: StoredEvent): object {
  return { ...event, value: exactNumber(event.value) };
}

/** Prepares decimal digits for `JSON.stringify`, which then writes them as a number with all digits. */
export function exactNumber(digits: string | null): unknown {
  return digits === null ? null : rawJson(digits);
}

const DEFAULT_BUCKETS = 48;
/** For the archived events of a summary. */
const SUMMARY_SECONDS = 15;
/** 3 MB of JSON. */
export const MAX_SUMMARY_ROWS = 20_000;

export interface EventSummary {
  from: string;
  to: string;
  bucket: string;
  items: SummaryRow[];
  /** Whether the newest buckets are left out, because there are more than 20,000 rows. */
  hasMore: boolean;
}

/**
 * Counts events by group and time bucket, archived ones included. `to` defaults to now, `from` to 48 buckets before `to`. Throws
 * `invalid_request` if the range has more than 1,500 buckets.
 */
export async function summariseEvents(
  { database, archive }: EventSources,
  tenantId: string,
  filter: EventFilter,
  options: SummaryOptions,
): Promise<EventSummary> {
  const { bucket, groupBy } = options;
  const to = toMicroseconds(filter.to ?? new Date().toISOString())!;
  const from = filter.from
    ? toMicroseconds(filter.from)!
    : toMicroseconds(
        new Date(Math.max(Date.parse(to) - DEFAULT_BUCKETS * BUCKET_MS[bucket], 0)).toISOString(),
      )!;
  requireFewBuckets({ from, to }, bucket);
  const tenant = database.heavy.forTenant(tenantId);
  const range = { ...filter, from, to };
  const items = await tenant.transaction(async (transaction) => {
    const path = await chooseCountPath(transaction, tenantId, range);
    const archived = await countArchived(
      transaction,
      archive,
      tenantId,
      {
        filter: range,
        ranges: path === 'rollups' ? timesBesideRollups(range, bucket) : [{ from, to }],
        bucket,
        byDefinition: groupBy !== 'time',
      },
      { seconds: SUMMARY_SECONDS },
    );
    return countEvents(transaction, tenantId, range, {
      ...options,
      path,
      archived,
      limit: MAX_SUMMARY_ROWS + 1,
    });
  });
  return {
    from,
    to,
    bucket,
    items: items.slice(0, MAX_SUMMARY_ROWS),
    hasMore: items.length > MAX_SUMMARY_ROWS,
  };
}

/** Checks a filter before an export, which cannot report an error after the response has begun. */
export function checkFilter(tenantId: string, filter: EventFilter): void {
  filterCondition(tenantId, filter);
}

function encodeCursor({ occurredAt, idempotencyKey }: EventPosition): string {
  return Buffer.from(JSON.stringify([occurredAt, idempotencyKey])).toString('base64url');
}

function decodeCursor(cursor: string): EventPosition {
  try {
    const [at, idempotencyKey] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    // Converts to UTC, because PostgreSQL refuses offsets of 16 hours and more.
    const occurredAt = typeof at === 'string' ? toMicroseconds(at) : undefined;
    if (occurredAt !== undefined && typeof idempotencyKey === 'string' && !idempotencyKey.includes('\0'))
      return { occurredAt, idempotencyKey };
  } catch {
    // Malformed: reported below.
  }
  throw new ProblemError(
    'invalid_request',
    'The cursor is malformed. Use nextCursor of the previous page, unchanged.',
  );
}
