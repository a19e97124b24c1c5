import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { RateLimiterRedis, RateLimiterRes, type IRateLimiterOptions } from 'rate-limiter-flexible';
import { COUNT_WITHIN_MS, type Channel } from '../processes/channel.ts';
import type { Redis } from '../redis/redis.ts';
import { ProblemError } from '../core/problem.ts';
import { MemoryLimiter } from './memory-limiter.ts';

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

/** Where several processes count together: in Redis, and in the primary process of their machine. */
export interface SharedCounts {
  redis?: Redis | undefined;
  primary?: Channel | undefined;
}

/**
 * Creates budgets that all processes share in Redis. Without Redis, and while it is unavailable, the processes of one server
 * share them in their primary process.
 */
export function createAttemptBudgets(shared: SharedCounts = {}): CreateBudget {
  return ({ name, attempts, seconds, refusal }) => {
    const limiter = createLimiter(shared, { name, points: attempts, seconds });
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

/** Creates a counter with a fixed window. All processes share it, like budgets. */
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

type Change = 'consume' | 'reward';

/** One change of a counter in the primary process. */
interface LimiterQuestion {
  options: IRateLimiterOptions;
  change: Change;
  key: string;
  points: number;
}

interface LimiterAnswer {
  admitted: boolean;
  remaining: number;
  msBeforeNext: number;
  consumed: number;
}

/** Counts in the primary process. While that does not answer, counts in the memory of this process. */
class PrimaryLimiter extends MemoryLimiter {
  readonly #primary: Channel;
  readonly #options: IRateLimiterOptions;

  constructor(primary: Channel, options: IRateLimiterOptions) {
    super(options);
    this.#primary = primary;
    this.#options = options;
  }

  override consume(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#change('consume', key, points, () => super.consume(key, points));
  }

  override reward(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#change('reward', key, points, () => super.reward(key, points));
  }

  async #change(
    change: Change,
    key: string,
    points: number,
    inMemory: () => Promise<RateLimiterRes>,
  ): Promise<RateLimiterRes> {
    const question: LimiterQuestion = { options: this.#options, change, key, points };
    let answer: LimiterAnswer;
    try {
      answer = await this.#primary.ask<LimiterAnswer>('limit', question, COUNT_WITHIN_MS);
    } catch {
      return inMemory();
    }
    const { admitted, remaining, msBeforeNext, consumed } = answer;
    const result = new RateLimiterRes(remaining, msBeforeNext, consumed, false);
    // This is how the library refuses.
    if (!admitted) throw result as unknown as Error;
    return result;
  }
}

/** Answers the limiters of all processes, in the primary process. */
export function createLimiterAnswers(): (question: LimiterQuestion) => Promise<LimiterAnswer> {
  const limiters = new Map<string, MemoryLimiter>();
  return async ({ options, change, key, points }) => {
    const name = options.keyPrefix!;
    let limiter = limiters.get(name);
    if (!limiter) limiters.set(name, (limiter = new MemoryLimiter(options)));
    const found = await limiter[change](key, points).then(
      (result) => ({ admitted: true, result }),
      (refused: unknown) => {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return { admitted: false, result: refused };
      },
    );
    const { remainingPoints: remaining, msBeforeNext, consumedPoints: consumed } = found.result;
    return { admitted: found.admitted, remaining, msBeforeNext, consumed };
  };
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
