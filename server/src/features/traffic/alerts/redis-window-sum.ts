import { isRedisReady, type Redis } from '../../../redis/redis.ts';
import { WINDOW_SECONDS } from './rolling-window.ts';

/** What one process has counted of something since it last told, by how many seconds ago. */
export interface Report {
  name: string;
  amounts: { age: number; amount: number }[];
}

/** What all processes together have counted in the fullest window that ends in a reported second, or later. */
export interface SharedSum {
  sum: number;
  /** How many seconds ago the window ended. */
  age: number;
}

/** Adds what a process has counted to what the others have. Undefined for what Redis does not answer. */
export type RedisWindowSum = (reports: Report[]) => Promise<(SharedSum | undefined)[]>;

/** Seconds that are kept: a window, and what a process may be late with. */
const KEPT_SECONDS = WINDOW_SECONDS + 15;

/**
 * One hash for each thing that is counted, with a field a second. Seconds are those of Redis's clock, which is the same one
 * for all. Takes Redis some 50 µs.
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

/** Sent at once, so that the requests which ask Redis for their limits meanwhile wait 5 ms at most. */
const BATCH = 100;

/** Teaches Redis the script. */
export function createRedisWindowSum(redis: Redis): RedisWindowSum {
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

function read(answered: [error: Error | null, answer: unknown] | undefined): SharedSum | undefined {
  if (!answered || answered[0]) return undefined;
  const [sum, age] = answered[1] as [number, number];
  return { sum, age };
}
