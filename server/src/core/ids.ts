import { randomUUIDv7 } from 'node:crypto';
import { v7 } from 'uuid';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The all-zero UUID, which some clients send where they have none. */
export const EMPTY_GUID = '00000000-0000-0000-0000-000000000000';

/**
 * A new time-ordered identifier (UUIDv7), so that rows made together lie together in an index. Those of one process ascend
 * strictly, also within a millisecond: lists ordered by id are in the order in which things were made.
 */
export function newId(): string {
  return v7();
}

/** As {@link newId}, but in no order within a millisecond, and in a tenth of its 1.5 µs: for rows that come by thousands. */
export function newBulkId(): string {
  return randomUUIDv7();
}

/** The least identifier of those that {@link newId} makes `seconds` after a time: to find what was made when by its id. */
export function firstIdAt(time: string, seconds: number): string {
  const milliseconds = Math.min(Math.max(0, Date.parse(time) + seconds * 1000), 2 ** 48 - 1);
  const digits = milliseconds.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}

/** Whether a text is a UUID in its usual form, in any letter case. */
export function isGuid(text: string): boolean {
  return text.length === 36 && GUID.test(text);
}
