import { compareCodePoints } from '../../../core/text.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';

/** The deduplication key of an event. It also defines the order by time. */
export interface EventPosition {
  /** In the format of toMicroseconds(). */
  occurredAt: string;
  idempotencyKey: string;
}

/** The position of an event whose time has any format. */
export const positionOf = ({ occurredAt, idempotencyKey }: EventPosition): EventPosition => ({
  occurredAt: toMicroseconds(occurredAt)!,
  idempotencyKey,
});

/** Returns the position before every event of a time. It uses the empty key, which no event has. The time may have any format. */
export const beforeAll = (time: string): EventPosition =>
  positionOf({ occurredAt: time, idempotencyKey: '' });

/**
 * Compares positions in the order of time, and then of keys. This is the order of the primary key in PostgreSQL and of the rows in the
 * files of the archive. Rows are written in it too, so that all transactions take their locks in one order and cannot deadlock.
 */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  if (a.occurredAt !== b.occurredAt) return a.occurredAt < b.occurredAt ? -1 : 1;
  return compareCodePoints(a.idempotencyKey, b.idempotencyKey);
}

/** Leaves out the items of a sorted list whose position is that of the item before. */
export function withoutRepeats<Item extends EventPosition>(sorted: Item[]): Item[] {
  return sorted.filter((item, place) => place === 0 || comparePositions(sorted[place - 1]!, item) !== 0);
}

/** Oldest first, or newest first. */
export type Direction = 'asc' | 'desc';

/** Compares positions in the order in which they are read. */
export const orderOf = (direction: Direction): typeof comparePositions =>
  direction === 'asc' ? comparePositions : (a, b) => comparePositions(b, a);
