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
 * Adds points, unless the counter would exceed its limit or fall below 0. Returns the sum, and the milliseconds until the window
 * ends. One script, so that a refused attempt never takes the place of another one.
 */
const ADD_WITHIN_LIMIT = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local sum = redis.call('incrby', KEYS[1], ARGV[1])
if sum < 0 or (tonumber(ARGV[1]) > 0 and sum > tonumber(ARGV[3])) then
  redis.call('decrby', KEYS[1], ARGV[1])
end
return {sum, redis.call('pttl', KEYS[1])}`;

/**
 * Creates a counter with a fixed window. Points that it refuses are not counted, but are part of `consumedPoints`. All processes
 * share it in Redis. Without Redis, and while it is unavailable, the processes of one server share it in their primary process.
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
        customIncrTtlLuaScript: ADD_WITHIN_LIMIT,
      })
    : memory;
}
