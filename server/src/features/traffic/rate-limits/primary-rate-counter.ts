import { createLruCache } from '../../../core/lru-cache.ts';
import type { RateLimit } from '../../../core/callers.ts';
import { monotonicClock } from '../../../core/monotonic-clock.ts';
import { COUNT_WITHIN_MS, type Channel } from '../../../processes/channel.ts';
import {
  countRequest,
  emptyWindows,
  HOUR_MS,
  MINUTE_MS,
  type SharedCount,
  type SharedRateCounter,
  type Window,
  type Windows,
} from './windows.ts';

/** Keys whose windows the primary process keeps, about 200 bytes each. It evicts the least recently used key. */
const KEPT_KEYS = 100_000;

interface CountRequest {
  keyId: string;
  limit: RateLimit;
  cached: Windows;
}

/** Counts in the primary process. A count rejects if it does not respond. */
export function createPrimaryRateCounter(primary: Channel): SharedRateCounter {
  return (keyId, limit, cached) =>
    primary.request<SharedCount>(
      'count-request',
      { keyId, limit, cached } satisfies CountRequest,
      COUNT_WITHIN_MS,
    );
}

/**
 * Creates the request handler of the primary process, for the counters of all processes. If the cached window is fuller than the kept one,
 * it replaces the kept one: then Redis has counted until now (docs/decisions/0027-rate-limit-windows.md).
 */
export function createRateCounterHandler(now = monotonicClock): (request: CountRequest) => SharedCount {
  const kept = createLruCache<string, Windows>(KEPT_KEYS);
  return ({ keyId, limit, cached }) => {
    const time = now();
    const windows = kept.get(keyId) ?? emptyWindows();
    windows.minute = fuller(windows.minute, cached.minute, time, MINUTE_MS);
    windows.hour = fuller(windows.hour, cached.hour, time, HOUR_MS);
    kept.set(keyId, windows);
    const admitted = countRequest(windows, limit, time);
    // A copy: responses are sent together, and the next request changes the kept windows before that.
    return { admitted, windows: { minute: { ...windows.minute }, hour: { ...windows.hour } }, now: time };
  };
}

/** A window ends at most its own length from now, because the cached end may come from another clock. */
function fuller(own: Window, cached: Window, now: number, length: number): Window {
  const used = own.ends > now ? own.used : 0;
  const { used: most, ends } = cached.ends > now && cached.used > used ? cached : own;
  return { used: most, ends: Math.min(ends, now + length) };
}
