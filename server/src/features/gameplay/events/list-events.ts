import { cursorPage, type CursorPage } from '../../../core/page.ts';
import { invalidField } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { withMergedProfiles, type EventFilter } from './event-filter.ts';
import { positionOf, type EventPosition } from './event-position.ts';
import { createEventReader } from './event-reader.ts';
import type { EventSources } from './event-sources.ts';
import { chooseAccessPath, type StoredEvent } from './queries.ts';

/** After this time, a page of a list ends with what was found. */
const LIST_SECONDS = 3;
/** The timeout of a DuckDB statement or a download. A download continues after the timeout. */
const LIST_LIMITS = { seconds: 15 };

/**
 * Reads a page of a tenant's events, newest first, archived ones included. A page that had to look through many archived events may
 * have fewer events than `limit`, or none, and a next page. Throws `invalid_request` if the cursor is malformed,
 * `archive_unavailable` if the page needs the archive and this server cannot read it, and `query_timeout`.
 */
export async function listEvents(
  { database, archive }: EventSources,
  tenantId: string,
  sent: EventFilter,
  { limit, cursor }: { limit: number; cursor: string | undefined },
  { seconds = LIST_SECONDS } = {},
): Promise<CursorPage<StoredEvent>> {
  const start = cursor === undefined ? undefined : decodeCursor(cursor);
  const endsAt = performance.now() + seconds * 1000;
  // While DuckDB reads, the transaction keeps the turn of the tenant among large reads.
  return database.heavy.forTenant(tenantId).transaction(async (transaction) => {
    const filter = await withMergedProfiles(transaction, tenantId, sent);
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
      : cursorPage(found, limit, (event) => encodeCursor(positionOf(event)));
  });
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
  throw invalidField(
    'cursor',
    'is malformed',
    'The cursor is malformed. Use nextCursor of the previous page, unchanged.',
  );
}
