import { randomUUIDv7 } from 'node:crypto';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A new time-ordered identifier (UUIDv7), so that rows made together lie together in an index. */
export function newId(): string {
  return randomUUIDv7();
}

/** Whether a text is a UUID in its usual form, in any letter case. */
export function isGuid(text: string): boolean {
  return text.length === 36 && GUID.test(text);
}
