import type { Querier } from '../../../../database/database.ts';
import { rangeInUtc } from '../../../../core/time-range.ts';
import { blockArchiving } from '../archive/parts/archive-lock.ts';
import type { Archive } from '../archive/parts/archive.ts';
import { createArchivedEvents } from '../archive/reading/archived-events.ts';
import { selectParts, type ArchivedPart } from '../archive/parts/queries.ts';
import type { ArchivedReading, PositionedEvent } from '../archive/reading/read-part.ts';
import type { EventFilter } from '../event-filter.ts';
import { beforeAll, orderOf, positionOf, withoutRepeats, type EventPosition } from '../event-position.ts';
import { selectEvents, type AccessPath, type StoredEvent } from './queries.ts';
import { findMinutes } from '../rollups/find-minutes.ts';

/** The events that a transaction found after a position. */
interface FoundEvents {
  after: EventPosition | undefined;
  parts: ArchivedPart[];
  live: PositionedEvent[];
  /** The position up to which `live` has all events of PostgreSQL. If undefined, it has all of them. */
  liveUntil: EventPosition | undefined;
}

interface EventReading extends ArchivedReading {
  path: AccessPath;
  /** The definitions of the filter, if roll-ups find the minutes that have their events. Requires the direction `desc`. */
  definitions?: string[] | undefined;
  /** Rows of PostgreSQL that are read at a time. */
  liveRows: number;
}

/** Each event of a rare definition adds one minute to read. In a busy game this minute has many other events. */
const MOST_SEARCHED = 2_000;

/**
 * Reads the events of a filter in the order of their positions, those of PostgreSQL and those of the archive. If an event is in the
 * archive and in PostgreSQL, it returns the archived one.
 */
export function createEventReader(
  archive: Archive,
  tenantId: string,
  filter: EventFilter,
  { path, definitions, liveRows, ...reading }: EventReading,
) {
  const { direction } = reading;
  const order = orderOf(direction);
  const range = rangeInUtc(filter);
  const begin = direction === 'asc' ? range.from : range.to;
  const start = begin === undefined ? undefined : beforeAll(begin);
  const archived = createArchivedEvents(archive, tenantId, filter, reading);
  /** The events of the definitions whose minutes are read next. As long as none of them matches the filter, it doubles. */
  let searched = liveRows;
  return {
    /**
     * Finds the next events of PostgreSQL, and the parts of the archive. Until the transaction ends, no event moves between them. If `after`
     * is undefined, it begins with the range of the filter.
     */
    async find(transaction: Querier, after: EventPosition | undefined = start): Promise<FoundEvents> {
      await blockArchiving(transaction, filter.scope);
      const parts = await selectParts(transaction, tenantId, { scope: filter.scope, ...range });
      const times =
        definitions &&
        (await findMinutes(transaction, tenantId, {
          scope: filter.scope,
          definitions,
          from: range.from,
          before: after,
          events: searched,
        }));
      const events = await selectEvents(transaction, tenantId, filter, {
        after,
        direction,
        limit: liveRows,
        path,
        ranges: times?.ranges,
      });
      if (events.length === 0) searched = Math.min(2 * searched, MOST_SEARCHED);
      const live = events.map((event) => ({ ...positionOf(event), event }));
      return { after, parts, live, liveUntil: live.length < liveRows ? times?.until : live.at(-1) };
    },

    /** Returns all events up to a position, which is undefined if there are no more. They may be none. */
    async merge(
      db: Querier,
      { after, parts, live, liveUntil }: FoundEvents,
    ): Promise<{ events: StoredEvent[]; until: EventPosition | undefined }> {
      const old = await archived.next(db, parts, { after, until: liveUntil });
      const [until] = [liveUntil, old.until].filter((position) => position !== undefined).toSorted(order);
      const found = [...old.events, ...live].filter((event) => !until || order(event, until) <= 0);
      const events = withoutRepeats(found.toSorted(order)).map(({ event }) => event);
      if (until) archived.drop(until);
      return { events, until };
    },
  };
}
