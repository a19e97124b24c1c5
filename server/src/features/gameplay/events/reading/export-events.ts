import { withMergedProfiles, type EventFilter } from '../event-filter.ts';
import type { EventPosition } from '../event-position.ts';
import { createEventReader } from './event-reader.ts';
import type { EventScope } from '../event-row.ts';
import type { EventSources } from '../event-sources.ts';
import { withExactValue } from './exact-json.ts';
import { chooseAccessPath, type StoredEvent } from './queries.ts';

/** Rows that an export serialises at a time, and reads at a time in the order of time. 500 rows take 8 ms to become CSV. */
const EXPORT_CHUNK = 500;
/** Rows that are read at a time with the index on the actor. Each read also reads and sorts all other events of the actor. */
const EXPORT_CHUNK_BY_ACTOR = 5_000;
/**
 * An actor with at most this many events is read by its index, in up to 100 reads of half a second. In the order of time, an export reads
 * all events of the tenant, also those before the first event of the actor and after the last one. On a busy machine, 1.4 million for the
 * last chunk took 19 seconds, and a read is cancelled after 30.
 */
export const MAX_EXPORTED_BY_ACTOR = 500_000;
/** Rows of the archive that an export has in memory. */
const EXPORT_ROWS = 4_000;
/** The timeout of a DuckDB statement. If few events match, one statement scans a whole part. */
const EXPORT_LIMITS = { seconds: 60 };
/** The timeout of the download of a part, if the parts are in a bucket. */
const EXPORT_DOWNLOADS = { seconds: 300 };

/**
 * Yields all events of a filter in chunks, oldest first, archived ones included. An event that was archived and stored again is yielded
 * once. The first chunk throws `archive_unavailable` if this server cannot read the archive.
 */
export async function* exportEvents(
  { database, archive }: EventSources,
  tenantId: string,
  sent: EventFilter,
): AsyncGenerator<StoredEvent[]> {
  const tenant = database.heavy.forTenant(tenantId, { patient: true });
  const filter = await withMergedProfiles(tenant, tenantId, sent);
  const path = await chooseAccessPath(tenant, tenantId, filter, MAX_EXPORTED_BY_ACTOR);
  const reader = createEventReader(archive, tenantId, filter, {
    direction: 'asc',
    rows: EXPORT_ROWS,
    liveRows: path === 'actor' ? EXPORT_CHUNK_BY_ACTOR : EXPORT_CHUNK,
    limits: EXPORT_LIMITS,
    downloads: EXPORT_DOWNLOADS,
    path,
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

/**
 * Yields all events of a player in a tenant in chunks, oldest first, ready for `JSON.stringify`. `playerIds` are all
 * profiles of the player.
 */
export async function* exportEventsOfPlayer(
  sources: EventSources,
  tenantId: string,
  scope: EventScope,
  playerIds: string[],
): AsyncGenerator<object[]> {
  for await (const chunk of exportEvents(sources, tenantId, { scope, playerIds }))
    yield chunk.map(withExactValue);
}
