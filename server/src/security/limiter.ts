import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Channel } from '../processes/channel.ts';
import type { Redis } from '../redis/redis.ts';
import { MemoryLimiter } from './memory-limiter.ts';
import { PrimaryLimiter } from './primary-limiter.ts';

/** Where several processes count together: in Redis, and in the primary process of their machine. */
export interface SharedCounts {
  redis?: Redis | undefined;
  primary?: Channel | undefined;
}

/**
 * Creates a counter with a fixed window. All processes share it in Redis. Without Redis, and while it is unavailable, the
 * processes of one server share it in their primary process.
 */
export function createLimiter(
  { redis, primary }: SharedCounts,
  { name, points, seconds }: { name: string; points: number; seconds: number },
): MemoryLimiter | RateLimiterRedis {
  const options = { keyPrefix: `guildhall:${name}`, points, duration: seconds };
  const memory = primary ? new PrimaryLimiter(primary, options) : new MemoryLimiter(options);
  return redis
    ? new RateLimiterRedis({
        ...options,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: memory,
      })
    : memory;
}
