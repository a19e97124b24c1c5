import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { conditionOf, type EventFilter, type EventPosition } from './event-filter.ts';
import { withNumber } from './event-json.ts';
import { MOST_SUMMARY_ROWS, type EventScope } from './event-scope.ts';
import { chooseAccessPath, countEvents, selectEvents, type StoredEvent, type SummaryRow } from './queries.ts';

export interface EventPage {
  items: StoredEvent[];
  hasMore: boolean;
  nextCursor?: string;
}

/** A page of a tenant's events, newest first. Throws invalid_request for a cursor that is not one of ours. */
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
  const items = found.slice(0, page.limit);
  const last = items.at(-1);
  if (found.length <= page.limit || !last) return { items, hasMore: false };
  return { items, hasMore: true, nextCursor: encodeCursor(last) };
}

/** Rows that an export reads at a time: its memory does not grow with the number of events. 500 become CSV in 8 ms. */
const EXPORT_CHUNK = 500;

/** All events of a filter, oldest first, in chunks. */
export async function* exportEvents(
  database: Database,
  tenantId: string,
  filter: EventFilter,
): AsyncGenerator<StoredEvent[]> {
  const tenant = database.heavy.forTenant(tenantId, { patient: true });
  const path = await chooseAccessPath(tenant, tenantId, filter);
  let after: EventPosition | undefined;
  while (true) {
    const chunk = await selectEvents(tenant, tenantId, filter, {
      after,
      direction: 'asc',
      limit: EXPORT_CHUNK,
      path,
    });
    if (chunk.length > 0) yield chunk;
    if (chunk.length < EXPORT_CHUNK) return;
    after = chunk.at(-1);
  }
}

/** All events of one player, of one or several profiles, in a tenant: oldest first, in chunks, ready for JSON.stringify. */
export async function* exportEventsOfPlayer(
  database: Database,
  tenantId: string,
  scope: EventScope,
  playerId: string[],
): AsyncGenerator<object[]> {
  for await (const chunk of exportEvents(database, tenantId, { scope, playerId }))
    yield chunk.map(withNumber);
}

const BUCKET_SECONDS = { minute: 60, hour: 3_600, day: 86_400 };
const MOST_BUCKETS = 1_500;
const DEFAULT_BUCKETS = 48;

export interface EventSummary {
  from: string;
  to: string;
  bucket: string;
  items: SummaryRow[];
}

/**
 * Counts of events by definition and bucket of time. Without `to` up to now, without `from` the 48 buckets before `to`.
 * Throws invalid_request for a range of more than 1,500 buckets.
 */
export async function summariseEvents(
  database: Database,
  tenantId: string,
  filter: EventFilter,
  bucket: keyof typeof BUCKET_SECONDS,
): Promise<EventSummary> {
  const width = BUCKET_SECONDS[bucket] * 1000;
  const to = toMicroseconds(filter.to ?? new Date().toISOString())!;
  const from = filter.from
    ? toMicroseconds(filter.from)!
    : new Date(Math.max(Date.parse(to) - DEFAULT_BUCKETS * width, 0)).toISOString();
  if (Date.parse(to) - Date.parse(from) > MOST_BUCKETS * width) {
    throw new ProblemError(
      'invalid_request',
      `The range has more than ${MOST_BUCKETS} buckets. Ask for a shorter range, or for wider buckets.`,
    );
  }
  const tenant = database.heavy.forTenant(tenantId);
  const range = { ...filter, from, to };
  const path = await chooseAccessPath(tenant, tenantId, range);
  const items = await countEvents(tenant, tenantId, range, bucket, path, MOST_SUMMARY_ROWS);
  return { from, to, bucket, items };
}

/** Checks a filter without reading anything: for an export, whose first byte is sent before its last row is read. */
export function checkFilter(tenantId: string, filter: EventFilter): void {
  conditionOf(tenantId, filter);
}

function encodeCursor({ occurredAt, idempotencyKey }: EventPosition): string {
  return Buffer.from(JSON.stringify([occurredAt, idempotencyKey])).toString('base64url');
}

function decodeCursor(cursor: string): EventPosition {
  try {
    const [at, idempotencyKey] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    // In UTC, for PostgreSQL refuses offsets of 16 hours and more.
    const occurredAt = typeof at === 'string' ? toMicroseconds(at) : undefined;
    if (occurredAt !== undefined && typeof idempotencyKey === 'string' && !idempotencyKey.includes('\0'))
      return { occurredAt, idempotencyKey };
  } catch {
    // Said below.
  }
  throw new ProblemError(
    'invalid_request',
    'The cursor is not valid. Use nextCursor of the page before, unchanged.',
  );
}
