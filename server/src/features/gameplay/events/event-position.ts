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

/** Compares positions in the order of time. Keys are compared by their bytes, as PostgreSQL and DuckDB do. */
function comparePositions(a: EventPosition, b: EventPosition): number {
  if (a.occurredAt !== b.occurredAt) return a.occurredAt < b.occurredAt ? -1 : 1;
  return a.idempotencyKey === b.idempotencyKey
    ? 0
    : Buffer.compare(Buffer.from(a.idempotencyKey), Buffer.from(b.idempotencyKey));
}

/** Oldest first, or newest first. */
export type Direction = 'asc' | 'desc';

/** Compares positions in the order in which they are read. */
export const orderOf = (direction: Direction): typeof comparePositions =>
  direction === 'asc' ? comparePositions : (a, b) => comparePositions(b, a);
