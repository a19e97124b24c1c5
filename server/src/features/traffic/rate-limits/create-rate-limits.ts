import { createLruCache } from '../../../core/lru-cache.ts';
import { monotonicClock } from '../../../core/monotonic-clock.ts';
import type { Log } from '../../../core/log.ts';
import { Counter, type Registry } from 'prom-client';
import type { KeylessCaller, RateLimiter, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { isRedisReady } from '../../../redis/redis.ts';
import type { SharedCounts } from '../../../security/limiter.ts';
import { createKeylessLimits, type KeylessLimits } from './keyless-limits.ts';
import { createPrimaryRateCounter } from './primary-rate-counter.ts';
import { createRedisRateCounter } from './redis-rate-counter.ts';
import { countRequest, emptyWindows, verdict, type Windows } from './windows.ts';

/**
 * Keys whose windows a process caches, about 200 bytes each. The cache evicts the least recently used key. A key at its limit
 * that keeps sending requests stays cached, unless this many other keys send requests in between.
 */
const CACHED_KEYS = 100_000;

/** Without shared counts, a single process counts in its memory. */
interface RateLimitServices extends SharedCounts {
  /** The limits of requests without a key. */
  keyless: KeylessLimits;
  metrics: Registry;
  logger: Log<'warn'>;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/**
 * Counts requests per key in two windows, and requests without a key. With Redis, all processes share the counts. While Redis is
 * unavailable, the processes of a server share the counts in their primary process, and a single process counts in memory. They
 * continue from the last counts that they have cached.
 */
export function createRateLimits(services: RateLimitServices): RateLimiter {
  const { redis, primary, keyless, metrics, logger, now = monotonicClock } = services;
  const cachedWindows = createLruCache<string, Windows>(CACHED_KEYS);
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
  const limits = createKeylessLimits({ redis, primary }, keyless);
  const countKeyless = async (caller: KeylessCaller, cost: number): Promise<RateLimitVerdict> =>
    measure(caller, await limits(caller, cost));

  /** The clock of the shared counter minus that of this process. Windows end by the clock of the counter that answered last. */
  let clockOffsetMs = 0;
  const countInMemory = (key: KeyCaller): RateLimitVerdict => {
    let windows = cachedWindows.get(key.keyId);
    if (!windows) cachedWindows.set(key.keyId, (windows = emptyWindows()));
    const time = now() + clockOffsetMs;
    const admitted = countRequest(windows, key.rateLimit, time);
    return measure(key, verdict(admitted, windows, key.rateLimit, time));
  };
  const sharedCounters = [
    redis && { name: 'Redis', isReady: () => isRedisReady(redis), count: createRedisRateCounter(redis) },
    primary && { name: 'The primary process', isReady: () => true, count: createPrimaryRateCounter(primary) },
  ].filter((counter) => counter !== undefined);
  if (sharedCounters.length === 0) return { count: countInMemory, countKeyless };

  let hasWarned = false;
  const warnOnce = (name: string, error: unknown): void => {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn(
      { reason: (error as Error).message },
      `${name} does not count requests: this process counts them without it`,
    );
  };
  const countTogether = async (key: KeyCaller): Promise<RateLimitVerdict> => {
    for (const { name, isReady, count } of sharedCounters) {
      // The owner of the connection to Redis logs its loss.
      if (!isReady()) continue;
      try {
        const answer = await count(key.keyId, key.rateLimit, cachedWindows.get(key.keyId) ?? emptyWindows());
        clockOffsetMs = answer.now - now();
        hasWarned = false;
        cachedWindows.set(key.keyId, answer.windows);
        return measure(key, verdict(answer.admitted, answer.windows, key.rateLimit, answer.now));
      } catch (error) {
        if (isReady()) warnOnce(name, error);
      }
    }
    return countInMemory(key);
  };
  const isAlone = (): boolean => !sharedCounters.some(({ isReady }) => isReady());
  return { count: (key) => (isAlone() ? countInMemory(key) : countTogether(key)), countKeyless };
}
