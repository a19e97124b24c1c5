import { invalidField } from '../../../../core/problem.ts';
import { toMicroseconds } from '../../../../core/timestamps.ts';

/** Encodes the last item of a page: its time, and the text that distinguishes it from others of the same time. */
export function encodeCursor(time: string, text: string): string {
  return Buffer.from(JSON.stringify([time, text])).toString('base64url');
}

/** Decodes a cursor. The time has the format of toMicroseconds(). Throws `invalid_request`. */
export function decodeCursor(cursor: string): { time: string; text: string } {
  try {
    const [at, text] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    // Converts to UTC, because PostgreSQL refuses offsets of 16 hours and more.
    const time = typeof at === 'string' ? toMicroseconds(at) : undefined;
    if (time !== undefined && typeof text === 'string' && !text.includes('\0')) return { time, text };
  } catch {
    // Malformed: reported below.
  }
  throw invalidField(
    'cursor',
    'is malformed',
    'The cursor is malformed. Use nextCursor of the previous page, unchanged.',
  );
}
