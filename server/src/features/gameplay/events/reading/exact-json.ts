import type { StoredEvent } from './queries.ts';

/** Available since Node 22. The type definitions do not declare it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** Prepares an event for `JSON.stringify`, which then writes all digits of its 64-bit value. */
export function withExactValue(event: StoredEvent): object {
  return { ...event, value: exactNumber(event.value) };
}

/** Prepares decimal digits for `JSON.stringify`, which then writes them as a number with all digits. */
export function exactNumber(digits: string | null): unknown {
  return digits === null ? null : rawJson(digits);
}
