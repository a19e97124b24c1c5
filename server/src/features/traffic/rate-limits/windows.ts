import type { RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { RateLimit } from '../../../core/callers.ts';

/** Requests that were counted since a first one, until `ends` (in milliseconds); then the next one begins anew. */
export interface Window {
  used: number;
  ends: number;
}

/** The two windows of a key. */
export interface Windows {
  minute: Window;
  hour: Window;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** The windows of a key that has sent nothing yet. */
export function untouched(): Windows {
  return { minute: { used: 0, ends: 0 }, hour: { used: 0, ends: 0 } };
}

/** Counts a request in both windows, or, where one of them is used up, in neither: then it is false. */
export function countRequest({ minute, hour }: Windows, limit: RateLimit, now: number): boolean {
  if (usedIn(minute, now) >= limit.perMinute || usedIn(hour, now) >= limit.perHour) return false;
  add(minute, now, MINUTE_MS);
  add(hour, now, HOUR_MS);
  return true;
}

/**
 * What a caller is told after a request was counted or refused: of the window with fewer requests left. Where both have as
 * few, the one that lasts longer: so a caller who waits for its end is let in.
 */
export function verdict(
  admitted: boolean,
  { minute, hour }: Windows,
  limit: RateLimit,
  now: number,
): RateLimitVerdict {
  const leftOfMinute = Math.max(0, limit.perMinute - usedIn(minute, now));
  const leftOfHour = Math.max(0, limit.perHour - usedIn(hour, now));
  const byHour = leftOfHour < leftOfMinute || (leftOfHour === leftOfMinute && hour.ends > minute.ends);
  return {
    admitted,
    window: byHour ? 'hour' : 'minute',
    limit: byHour ? limit.perHour : limit.perMinute,
    remaining: byHour ? leftOfHour : leftOfMinute,
    resetSeconds: Math.ceil(((byHour ? hour.ends : minute.ends) - now) / 1000),
  };
}

function usedIn({ used, ends }: Window, now: number): number {
  return ends > now ? used : 0;
}

function add(window: Window, now: number, length: number): void {
  if (window.ends > now) {
    window.used++;
  } else {
    window.used = 1;
    window.ends = now + length;
  }
}
