import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../redis/redis.ts';
import { ProblemError } from '../core/problem.ts';

/** How often somebody may try something within a time. */
export interface AttemptBudget {
  /** Takes one attempt of `key`. Throws too_many_attempts where there is none left. */
  spend(key: string): Promise<void>;
  /** Gives one back. */
  giveBack(key: string): Promise<void>;
}

export interface BudgetOptions {
  /** Budgets of one name are one, over all processes. */
  name: string;
  attempts: number;
  seconds: number;
  /** The sentence for those who have spent theirs. */
  refusal: string;
}

export type CreateBudget = (options: BudgetOptions) => AttemptBudget;

/** Budgets that all processes spend together in Redis. Without it, and while it is away, each has its own in memory. */
export function createAttemptBudgets(redis?: Redis): CreateBudget {
  return ({ name, attempts, seconds, refusal }) => {
    const options = { keyPrefix: `guildhall:${name}`, points: attempts, duration: seconds };
    const memory = new RateLimiterMemory(options);
    const limiter = redis
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: memory,
        })
      : memory;
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

/** Keys hold e-mail addresses and networks, which need not lie about in Redis, nor be of any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** What counts as one caller: an IPv4 address, or the /64 of an IPv6 one, for who has one has its 2^64 addresses. */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(plain)) return plain;
  const [start = '', end] = plain.split('::');
  const groups = start.split(':').filter(Boolean);
  const zeros = end === undefined ? 0 : 8 - groups.length - end.split(':').filter(Boolean).length;
  return [...groups, ...Array(zeros).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':');
}
