import { invalidField } from '../../../../core/problem.ts';
import { toMicroseconds } from '../../../../core/timestamps.ts';
import type { EventPosition } from '../event-position.ts';

/** Encodes the position of the last event of a page. */
export function encodeCursor({ occurredAt, idempotencyKey }: EventPosition): string {
  return Buffer.from(JSON.stringify([occurredAt, idempotencyKey])).toString('base64url');
}

/** Decodes a cursor. Throws `invalid_request`. */
export function decodeCursor(cursor: string): EventPosition {
  try {
    const [time, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    // Converts to UTC, because PostgreSQL refuses offsets of 16 hours and more.
    const occurredAt = typeof time === 'string' ? toMicroseconds(time) : undefined;
    if (occurredAt !== undefined && typeof key === 'string' && !key.includes('\0'))
      return { occurredAt, idempotencyKey: key };
  } catch {
    // Malformed: reported below.
  }
  throw invalidField(
    'cursor',
    'is malformed',
    'The cursor is malformed. Use nextCursor of the previous page, unchanged.',
  );
}
