import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import type { KeylessCaller, RateLimiter, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { isRedisReady, type Redis } from '../../../redis/redis.ts';
import { createKeylessLimits, type KeylessLimits } from './keyless-limits.ts';
import { createRedisRateCounter, type RedisRateCounter } from './redis-rate-counter.ts';
import { countRequest, emptyWindows, verdict, type Windows } from './windows.ts';

/**
 * Keys whose windows a process caches, about 200 bytes each. The cache evicts the least recently used key. A key at its limit
 * that keeps sending requests stays cached, unless this many other keys send requests in between.
 */
const CACHED_KEYS = 100_000;

export interface RateLimitServices {
  /** Shares the counts between processes. Undefined for a single process. */
  redis?: Redis | undefined;
  /** The limits of requests without a key. */
  keyless: KeylessLimits;
  metrics: Registry;
  logger: { warn(details: object, message: string): void };
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/**
 * Counts requests per key in two windows, and requests without a key. With Redis, all processes share the counts. While Redis is unavailable, each process
 * counts in memory, starting from the last counts it has cached.
 */
export function createRateLimits(services: RateLimitServices): RateLimiter {
  const { redis, keyless, metrics, logger, now = monotonicClock } = services;
  const cachedWindows = new LRUCache<string, Windows>({ max: CACHED_KEYS });
  const refused = new Counter({
    name: 'guildhall_rate_limited_requests_total',
    help: 'Requests refused because their caller had reached a rate limit.',
    labelNames: ['kind', 'window'] as const,
    registers: [metrics],
  });
  const measure = ({ kind }: KeyCaller | KeylessCaller, found: RateLimitVerdict): RateLimitVerdict => {
    if (!found.admitted) refused.labels(kind, found.window).inc();
    return found;
  };
  const limits = createKeylessLimits(redis, keyless);
  const countKeyless = async (caller: KeylessCaller, cost: number): Promise<RateLimitVerdict> =>
    measure(caller, await limits(caller, cost));

  /** Redis's clock minus this process's clock. Windows end by Redis's clock after its first response. */
  let clockOffsetMs = 0;
  const countInMemory = (key: KeyCaller): RateLimitVerdict => {
    let windows = cachedWindows.get(key.keyId);
    if (!windows) cachedWindows.set(key.keyId, (windows = emptyWindows()));
    const time = now() + clockOffsetMs;
    const admitted = countRequest(windows, key.rateLimit, time);
    return measure(key, verdict(admitted, windows, key.rateLimit, time));
  };
  if (!redis) return { count: countInMemory, countKeyless };

  let hasWarned = false;
  const warnOnce = (error: unknown): void => {
    // The owner of the connection logs its loss.
    if (hasWarned || !isRedisReady(redis)) return;
    hasWarned = true;
    logger.warn(
      { reason: (error as Error).message },
      'Redis does not count requests: this process counts them in memory',
    );
  };
  const countInRedis = async (count: RedisRateCounter, key: KeyCaller): Promise<RateLimitVerdict> => {
    try {
      const answer = await count(key.keyId, key.rateLimit, cachedWindows.get(key.keyId) ?? emptyWindows());
      clockOffsetMs = answer.now - now();
      hasWarned = false;
      cachedWindows.set(key.keyId, answer.windows);
      return measure(key, verdict(answer.admitted, answer.windows, key.rateLimit, answer.now));
    } catch (error) {
      warnOnce(error);
      return countInMemory(key);
    }
  };
  const counter = createRedisRateCounter(redis);
  return {
    count: (key) => (isRedisReady(redis) ? countInRedis(counter, key) : countInMemory(key)),
    countKeyless,
  };
}

/** Wall-clock time in whole milliseconds, taken once at process start. So a change of the system clock moves no window. */
function monotonicClock(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
