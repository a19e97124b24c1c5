import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import type { RateLimiter, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { isRedisReady, type Redis } from '../../../redis/redis.ts';
import { createRedisRateCounter, type RedisRateCounter } from './redis-rate-counter.ts';
import { countRequest, untouched, verdict, type Windows } from './windows.ts';

/**
 * Keys whose windows a process remembers, of some 200 bytes each. Who asks for one more makes it forget the key that asked
 * the longest ago: one at its limit that still asks is never that, unless so many others ask in between.
 */
const REMEMBERED_KEYS = 100_000;

export interface RateLimitServices {
  /** Where several processes count together. */
  redis?: Redis | undefined;
  metrics: Registry;
  logger: { warn(details: object, message: string): void };
  /** The time in milliseconds, which only moves on. */
  now?: () => number;
}

/**
 * Counts requests per key, in two windows at once. With Redis all processes count together; while it is away each goes on by
 * itself, from what it last knew.
 */
export function createRateLimits(services: RateLimitServices): RateLimiter {
  const { redis, metrics, logger, now = steadyClock } = services;
  const known = new LRUCache<string, Windows>({ max: REMEMBERED_KEYS });
  const refused = new Counter({
    name: 'guildhall_rate_limited_requests_total',
    help: 'Requests refused because their key had used up a rate limit.',
    labelNames: ['kind', 'window'] as const,
    registers: [metrics],
  });
  const noted = (key: KeyCaller, given: RateLimitVerdict): RateLimitVerdict => {
    if (!given.admitted) refused.labels(key.kind, given.window).inc();
    return given;
  };

  /** How far Redis's clock is ahead of ours: the ends of windows are told by its clock, once it has answered. */
  let ahead = 0;
  const alone = (key: KeyCaller): RateLimitVerdict => {
    let windows = known.get(key.keyId);
    if (!windows) known.set(key.keyId, (windows = untouched()));
    const time = now() + ahead;
    const admitted = countRequest(windows, key.rateLimit, time);
    return noted(key, verdict(admitted, windows, key.rateLimit, time));
  };
  if (!redis) return { count: alone };

  let complained = false;
  const complain = (error: unknown): void => {
    // That it went away is told by who watches the connection.
    if (complained || !isRedisReady(redis)) return;
    complained = true;
    logger.warn({ reason: (error as Error).message }, 'Redis does not count: this process does so by itself');
  };
  const together = async (count: RedisRateCounter, key: KeyCaller): Promise<RateLimitVerdict> => {
    try {
      const answer = await count(key.keyId, key.rateLimit, known.get(key.keyId) ?? untouched());
      ahead = answer.now - now();
      complained = false;
      known.set(key.keyId, answer.windows);
      return noted(key, verdict(answer.admitted, answer.windows, key.rateLimit, answer.now));
    } catch (error) {
      complain(error);
      return alone(key);
    }
  };
  const shared = createRedisRateCounter(redis);
  return { count: (key) => (isRedisReady(redis) ? together(shared, key) : alone(key)) };
}

/** The time of day in whole milliseconds, as of the start of the process: setting the clock neither opens nor closes a window. */
function steadyClock(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
