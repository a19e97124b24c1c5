import type { StoredEvent } from './queries.ts';

/** Since Node 22; the type definitions do not know it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** An event for JSON.stringify, with its value as digits that no double has rounded. */
export function withNumber(event: StoredEvent): object {
  return { ...event, value: event.value === null ? null : rawJson(event.value) };
}
