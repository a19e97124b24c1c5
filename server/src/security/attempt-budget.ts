import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../redis/redis.ts';
import { ProblemError } from '../core/problem.ts';

/** A limit of attempts within a time window. */
export interface AttemptBudget {
  /** Counts one attempt of `key`. Throws too_many_attempts if none is left. */
  spend(key: string): Promise<void>;
  /** Gives one attempt back. */
  giveBack(key: string): Promise<void>;
}

export interface BudgetOptions {
  /** Budgets with the same name share one count across all processes. */
  name: string;
  attempts: number;
  seconds: number;
  /** The error detail when no attempt is left. */
  refusal: string;
}

export type CreateBudget = (options: BudgetOptions) => AttemptBudget;

/**
 * Creates budgets that all processes share in Redis. Without Redis, and while it is unavailable, each process counts in
 * memory.
 */
export function createAttemptBudgets(redis?: Redis): CreateBudget {
  return ({ name, attempts, seconds, refusal }) => {
    const limiter = createLimiter(redis, { name, points: attempts, seconds });
    return {
      async spend(key) {
        try {
          await limiter.consume(digest(key));
        } catch (refused) {
          if (!(refused instanceof RateLimiterRes)) throw refused;
          const wait = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
          throw new ProblemError('too_many_attempts', {
            detail: refusal,
            headers: { 'retry-after': String(wait) },
          });
        }
      },
      async giveBack(key) {
        await limiter.reward(digest(key));
      },
    };
  };
}

/** Creates a counter with a fixed window. All processes share it in Redis, like budgets. */
export function createLimiter(
  redis: Redis | undefined,
  { name, points, seconds }: { name: string; points: number; seconds: number },
): RateLimiterMemory | RateLimiterRedis {
  const options = { keyPrefix: `guildhall:${name}`, points, duration: seconds };
  const memory = new RateLimiterMemory(options);
  return redis
    ? new RateLimiterRedis({
        ...options,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: memory,
      })
    : memory;
}

/** Hashes the key: it may contain an e-mail address or a network, and may have any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/**
 * The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, because one client usually has
 * a whole /64.
 */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(plain)) return plain;
  const [start = '', end] = plain.split('::');
  const groups = start.split(':').filter(Boolean);
  const zeros = end === undefined ? 0 : 8 - groups.length - end.split(':').filter(Boolean).length;
  return [...groups, ...Array(zeros).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':');
}
