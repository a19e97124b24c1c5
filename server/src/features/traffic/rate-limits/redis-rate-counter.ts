import type { Redis } from '../../../redis/redis.ts';
import { HOUR_MS, MINUTE_MS, type SharedRateCounter } from './windows.ts';

/**
 * The rule of windows.ts as a Lua script. If the cached window is fuller than the stored one, it replaces the stored one. This
 * happens when Redis has restarted without its data, or when the process has counted in memory. It can be repeated without
 * counting a request twice (docs/decisions/0027-rate-limit-windows.md).
 *
 * A window ends at most its own length from now, because the cached end may come from another clock.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HMGET', KEYS[1], 'minuteUsed', 'minuteEnds', 'hourUsed', 'hourEnds')

local function running(at, length)
  local used, ends = tonumber(stored[at]) or 0, tonumber(stored[at + 1]) or 0
  local cachedUsed, cachedEnds = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  if ends <= now then used, ends = 0, 0 end
  if cachedEnds > now and cachedUsed > used then used, ends = cachedUsed, cachedEnds end
  return used, math.min(ends, now + length)
end

local minuteUsed, minuteEnds = running(1, ${MINUTE_MS})
local hourUsed, hourEnds = running(3, ${HOUR_MS})
local admitted = minuteUsed < tonumber(ARGV[1]) and hourUsed < tonumber(ARGV[2])
if admitted then
  if minuteUsed == 0 then minuteEnds = now + ${MINUTE_MS} end
  if hourUsed == 0 then hourEnds = now + ${HOUR_MS} end
  minuteUsed, hourUsed = minuteUsed + 1, hourUsed + 1
end
redis.call('HSET', KEYS[1], 'minuteUsed', minuteUsed, 'minuteEnds', minuteEnds, 'hourUsed', hourUsed, 'hourEnds', hourEnds)
redis.call('PEXPIREAT', KEYS[1], math.max(minuteEnds, hourEnds))
return {admitted and 1 or 0, now, minuteUsed, minuteEnds, hourUsed, hourEnds}
`;

type Answer = [
  admitted: 0 | 1,
  now: number,
  minuteUsed: number,
  minuteEnds: number,
  hourUsed: number,
  hourEnds: number,
];

/** Registers the script. A count rejects if Redis is unavailable or returns an error. */
export function createRedisRateCounter(redis: Redis): SharedRateCounter {
  redis.defineCommand('guildhallCount', { numberOfKeys: 1, lua: SCRIPT });
  const { guildhallCount } = redis as Redis & {
    guildhallCount(this: Redis, key: string, ...numbers: number[]): Promise<Answer>;
  };
  return async (keyId, { perMinute, perHour }, { minute, hour }) => {
    const [admitted, now, minuteUsed, minuteEnds, hourUsed, hourEnds] = await guildhallCount.call(
      redis,
      `guildhall:requests:${keyId}`,
      perMinute,
      perHour,
      minute.used,
      minute.ends,
      hour.used,
      hour.ends,
    );
    return {
      admitted: admitted === 1,
      windows: { minute: { used: minuteUsed, ends: minuteEnds }, hour: { used: hourUsed, ends: hourEnds } },
      now,
    };
  };
}
