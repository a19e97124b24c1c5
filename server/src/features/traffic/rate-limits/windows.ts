import type { RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { RateLimit } from '../../../core/callers.ts';

/** A fixed window. It begins with its first request and ends at `ends` (in milliseconds). */
export interface Window {
  used: number;
  ends: number;
}

export interface Windows {
  minute: Window;
  hour: Window;
}

/** The answer of a shared counter: whether it admits the request, the windows of the key, and its clock in milliseconds. */
export interface SharedCount {
  admitted: boolean;
  windows: Windows;
  now: number;
}

/** Counts a request of a key atomically for all processes. `cached` are the windows that this process has cached. */
export type SharedRateCounter = (keyId: string, limit: RateLimit, cached: Windows) => Promise<SharedCount>;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** The windows of a key that has sent no request yet. */
export function emptyWindows(): Windows {
  return { minute: { used: 0, ends: 0 }, hour: { used: 0, ends: 0 } };
}

/** Counts a request in both windows and returns true. If one of them is used up, it counts in neither and returns false. */
export function countRequest({ minute, hour }: Windows, limit: RateLimit, now: number): boolean {
  if (usedIn(minute, now) >= limit.perMinute || usedIn(hour, now) >= limit.perHour) return false;
  add(minute, now, MINUTE_MS);
  add(hour, now, HOUR_MS);
  return true;
}

/**
 * The rate limit headers after a request was counted or refused. They describe the window with fewer requests left. If both
 * have the same number left, they describe the window that ends later. So a caller that waits for its end is admitted.
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
