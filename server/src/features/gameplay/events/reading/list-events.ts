import { cursorPage, type CursorPage } from '../../../../core/page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { selectDefinitions, withMergedProfiles, type EventFilter } from '../event-filter.ts';
import { positionOf } from '../event-position.ts';
import { createEventReader } from './event-reader.ts';
import type { EventSources } from '../event-sources.ts';
import { chooseAccessPath, type StoredEvent } from './queries.ts';

/** After this time, a page of a list ends with what was found. */
const LIST_SECONDS = 3;
/** The timeout of a DuckDB statement or a download. A download continues after the timeout. */
const LIST_LIMITS = { seconds: 15 };

/**
 * If a filter names at most this many definitions, roll-ups find the minutes of their events. Otherwise PostgreSQL would read all events of
 * the tenant until it has found a page of a rare key. For each hour that is read, a definition costs 60 searches of an index.
 */
const MAX_SEARCHED_DEFINITIONS = 20;

/**
 * Reads a page of a tenant's events, newest first, archived ones included. A page that had to look through many events that
 * do not match may have fewer events than `limit`, or none, and a next page. Throws `invalid_request` if the cursor is malformed,
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
  // While DuckDB reads, the transaction keeps the turn of the tenant among large reads.
  return database.heavy.forTenant(tenantId).transaction(async (transaction) => {
    const filter = await withMergedProfiles(transaction, tenantId, sent);
    const path = await chooseAccessPath(transaction, tenantId, filter);
    const definitions = path === 'time' ? await selectDefinitions(transaction, tenantId, filter) : undefined;
    const reader = createEventReader(archive, tenantId, filter, {
      direction: 'desc',
      rows: limit + 1,
      liveRows: limit + 1,
      limits: LIST_LIMITS,
      downloads: LIST_LIMITS,
      path,
      definitions: definitions && definitions.length <= MAX_SEARCHED_DEFINITIONS ? definitions : undefined,
    });
    const found: StoredEvent[] = [];
    let after = start;
    let endsAt: number | undefined;
    do {
      const next = await reader.find(transaction, after);
      // After the first statement, so that the time does not include the waits for a turn and for the end of a change of partitions.
      endsAt ??= performance.now() + seconds * 1000;
      const chunk = await reader.merge(transaction, next);
      found.push(...chunk.events);
      after = chunk.until;
    } while (after && found.length <= limit && performance.now() < endsAt);
    return found.length <= limit && after
      ? { items: found, hasMore: true, nextCursor: encodeCursor(after) }
      : cursorPage(found, limit, (event) => encodeCursor(positionOf(event)));
  });
}
