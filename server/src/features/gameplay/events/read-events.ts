import type { Database } from '../../../database/database.ts';
import { cursorPage, type CursorPage } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { BUCKET_MS, requireFewBuckets } from './buckets.ts';
import type { Archive } from './archive/create-archive.ts';
import { comparePlaces, createArchivedEvents, type PlacedEvent } from './archive/archived-events.ts';
import { countArchived, keepFromArchiving } from './archive/read-archive.ts';
import { findArchivedBefore, selectPartsOf } from './archive/queries.ts';
import { filterCondition, type EventFilter, type EventPosition } from './event-filter.ts';
import type { EventScope } from './event-row.ts';
import {
  chooseAccessPath,
  chooseCountPath,
  countEvents,
  MAX_SUMMARY_ROWS,
  selectEvents,
  type StoredEvent,
  type SummaryRow,
} from './queries.ts';
import { timesBesideRollups } from './rollups/counted-events.ts';

/** The places that store events: the database, and the archive of past months. */
export interface EventSources {
  database: Database;
  archive: Archive;
}

/** Events in PostgreSQL, with the end of the last month of the range that has archived events, if one has. */
export interface EventPage extends CursorPage<StoredEvent> {
  archivedBefore?: string;
}

/**
 * Reads a page of a tenant's events, newest first, without archived ones. Throws `invalid_request` if the cursor is malformed.
 */
export async function readEvents(
  database: Database,
  tenantId: string,
  filter: EventFilter,
  page: { limit: number; cursor: string | undefined },
): Promise<EventPage> {
  const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor);
  const tenant = database.heavy.forTenant(tenantId);
  const found = await selectEvents(tenant, tenantId, filter, {
    after,
    direction: 'desc',
    limit: page.limit + 1,
    path: await chooseAccessPath(tenant, tenantId, filter),
  });
  // Read after the events: if they were archived meanwhile, the answer says so.
  const archivedBefore = await findArchivedBefore(tenant, tenantId, inMicroseconds(filter));
  return {
    ...cursorPage(found, page.limit, encodeCursor),
    ...(archivedBefore !== undefined && { archivedBefore }),
  };
}

/** Rows that an export reads and serialises at a time. 500 rows take 8 ms to become CSV. */
const EXPORT_CHUNK = 500;

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
  const path = await chooseAccessPath(tenant, tenantId, filter);
  const archived = createArchivedEvents(archive, tenantId, filter);
  let after: EventPosition | undefined;
  while (true) {
    const { parts, live } = await tenant.transaction(async (transaction) => {
      await keepFromArchiving(transaction, filter.scope);
      return {
        parts: await selectPartsOf(transaction, tenantId, {
          ...inMicroseconds(filter),
          ...(after && { from: toMicroseconds(after.occurredAt) }),
        }),
        live: await selectEvents(transaction, tenantId, filter, {
          after,
          direction: 'asc',
          limit: EXPORT_CHUNK,
          path,
        }),
      };
    });
    const old = await archived.next(tenant, parts, after);
    // Events up to here are complete. Undefined: all are.
    const until = earlier(live.length < EXPORT_CHUNK ? undefined : live.at(-1), old.until);
    const events = merge(old.events, live.map(placed), until);
    for (let start = 0; start < events.length; start += EXPORT_CHUNK)
      yield events.slice(start, start + EXPORT_CHUNK);
    if (!until) return;
    archived.drop(placeOf(until));
    after = until;
    // Lets other exports read.
    if (events.length === 0) yield [];
  }
}

const inMicroseconds = ({ scope, from, to }: EventFilter) => ({
  scope,
  from: from === undefined ? undefined : toMicroseconds(from),
  to: to === undefined ? undefined : toMicroseconds(to),
});

const placeOf = ({ occurredAt, idempotencyKey }: EventPosition) => ({
  at: toMicroseconds(occurredAt)!,
  key: idempotencyKey,
});

const placed = (event: StoredEvent): PlacedEvent => ({ ...placeOf(event), event });

function earlier(a: EventPosition | undefined, b: EventPosition | undefined): EventPosition | undefined {
  if (!a || !b) return a ?? b;
  return comparePlaces(placeOf(a), placeOf(b)) < 0 ? a : b;
}

/** Returns the archived and the live events up to a position in one order. Of two with one name, the archived one was first. */
function merge(
  archived: PlacedEvent[],
  live: PlacedEvent[],
  until: EventPosition | undefined,
): StoredEvent[] {
  const end = until && placeOf(until);
  return [...archived, ...live]
    .filter((event) => !end || comparePlaces(event, end) <= 0)
    .toSorted(comparePlaces)
    .filter((event, index, all) => index === 0 || comparePlaces(all[index - 1]!, event) !== 0)
    .map(({ event }) => event);
}

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

export interface EventSummary {
  from: string;
  to: string;
  bucket: string;
  items: SummaryRow[];
}

/**
 * Counts events by definition and time bucket, archived ones included. `to` defaults to now, `from` to 48 buckets before `to`. Throws
 * `invalid_request` if the range has more than 1,500 buckets.
 */
export async function summariseEvents(
  { database, archive }: EventSources,
  tenantId: string,
  filter: EventFilter,
  bucket: 'minute' | 'hour' | 'day',
): Promise<EventSummary> {
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
        byDefinition: true,
      },
      { seconds: SUMMARY_SECONDS },
    );
    return countEvents(transaction, tenantId, range, { bucket, path, archived, limit: MAX_SUMMARY_ROWS });
  });
  return { from, to, bucket, items };
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
