import { isRedisReady, type Redis } from '../../../redis/redis.ts';
import { WINDOW_SECONDS, type Report, type SharedSum, type SharedWindowSum } from './rolling-window.ts';

/** How many seconds Redis keeps: one window, and 15 seconds for late reports. */
const KEPT_SECONDS = WINDOW_SECONDS + 15;

/**
 * Each counter has one Redis hash with a field per second. All processes use the seconds of Redis's clock. One call takes about
 * 50 µs in Redis.
 */
const SCRIPT = `
local now = tonumber(redis.call('TIME')[1])
local oldest = now
for i = 1, #ARGV, 2 do
  local second = now - tonumber(ARGV[i])
  oldest = math.min(oldest, second)
  redis.call('HINCRBY', KEYS[1], second, ARGV[i + 1])
end
redis.call('EXPIRE', KEYS[1], ${2 * KEPT_SECONDS})

local stored = redis.call('HGETALL', KEYS[1])
local amounts = {}
for i = 1, #stored, 2 do
  local second = tonumber(stored[i])
  if second <= now - ${KEPT_SECONDS} then redis.call('HDEL', KEYS[1], stored[i]) end
  amounts[second] = tonumber(stored[i + 1])
end

local fullest, ended = -1, now
for last = math.max(oldest, now - ${KEPT_SECONDS}), now do
  local sum = 0
  for second = last - ${WINDOW_SECONDS - 1}, last do sum = sum + (amounts[second] or 0) end
  if sum > fullest then fullest, ended = sum, last end
end
return {fullest, now - ended}
`;

/** Reports per pipeline. Concurrent rate limit commands wait at most 5 ms for a batch of this size. */
const BATCH = 100;

/** Registers the script. */
export function createRedisWindowSum(redis: Redis): SharedWindowSum {
  redis.defineCommand('guildhallWindowSum', { numberOfKeys: 1, lua: SCRIPT });
  return async (reports) => {
    const sums: (SharedSum | undefined)[] = [];
    for (let start = 0; start < reports.length; start += BATCH) {
      const batch = reports.slice(start, start + BATCH);
      const answers = isRedisReady(redis) ? await send(redis, batch) : null;
      sums.push(...batch.map((_, index) => read(answers?.[index])));
    }
    return sums;
  };
}

type Answers = [error: Error | null, answer: unknown][] | null;

async function send(redis: Redis, reports: Report[]): Promise<Answers> {
  const pipeline = redis.pipeline() as ReturnType<Redis['pipeline']> & {
    guildhallWindowSum(key: string, ...amounts: number[]): void;
  };
  for (const { name, amounts } of reports)
    pipeline.guildhallWindowSum(
      `guildhall:traffic:${name}`,
      ...amounts.flatMap(({ age, amount }) => [age, amount]),
    );
  return pipeline.exec().catch(() => null);
}

function read(response: [error: Error | null, answer: unknown] | undefined): SharedSum | undefined {
  if (!response || response[0]) return undefined;
  const [sum, age] = response[1] as [number, number];
  return { sum, age };
}
