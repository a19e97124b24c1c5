import { invalidField } from './problem.ts';
import { toMicroseconds } from './timestamps.ts';

/**
 * Returns the time of a field in UTC, truncated to microseconds. PostgreSQL would round it, and it rejects offsets of 16 hours and more.
 * Throws invalid_request if the time is not in the future.
 */
export function futureInstant(field: string, text: string, advice = ''): string {
  const instant = toMicroseconds(text);
  if (instant !== undefined && Date.parse(instant) > Date.now()) return instant;
  throw invalidField(field, 'must be in the future', `${field} must be in the future. ${advice}`.trim());
}
