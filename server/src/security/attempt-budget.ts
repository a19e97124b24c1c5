import { createHash } from 'node:crypto';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { ProblemError } from '../core/problem.ts';
import { createLimiter, type SharedCounts } from './limiter.ts';

/** A limit of attempts within a time window. */
export interface AttemptBudget {
  /** Counts one attempt of `key`. Throws too_many_attempts if none is left. */
  spend(key: string): Promise<void>;
  /** Gives one attempt back. */
  giveBack(key: string): Promise<void>;
  /**
   * Reserves one attempt of `key` until its result is known. Throws too_many_attempts if none is left, with a Retry-After of
   * one second if a reserved attempt may still be given back.
   */
  reserve(key: string): Promise<ReservedAttempt>;
}

export interface ReservedAttempt {
  /** Counts the attempt. */
  count(): Promise<void>;
  giveBack(): Promise<void>;
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
 * The points of a counted attempt, and of a reserved one. So a budget that is full of counted attempts has no points left, and a budget
 * with reserved ones has some. Both refuse, except that one attempt too many is admitted for each 1,000 that are reserved at once.
 */
const COUNTED = 1000;
const RESERVED = COUNTED - 1;

const RESERVED_RETRY_SECONDS = 1;

/** Creates budgets that all processes share. A refused attempt is not counted. */
export function createAttemptBudgets(shared: SharedCounts = {}): CreateBudget {
  return ({ name, attempts, seconds, refusal }) => {
    const limiter = createLimiter(shared, { name, points: attempts * COUNTED, seconds });
    const consume = async (key: string, points: number): Promise<RateLimiterRes> => {
      try {
        return await limiter.consume(key, points);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        if (refused.consumedPoints - points < attempts * COUNTED)
          throw new ProblemError('too_many_attempts', {
            detail: 'Too many attempts at once. Retry after the number of seconds in Retry-After.',
            retryAfter: RESERVED_RETRY_SECONDS,
          });
        const wait = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new ProblemError('too_many_attempts', { detail: refusal, retryAfter: wait });
      }
    };
    return {
      async spend(key) {
        await consume(digest(key), COUNTED);
      },
      async giveBack(key) {
        await limiter.reward(digest(key), COUNTED);
      },
      async reserve(key) {
        const id = digest(key);
        const startMs = performance.now();
        const { msBeforeNext } = await consume(id, RESERVED);
        // After the end of the window, the counter counts other attempts.
        const isOpen = () => performance.now() < startMs + msBeforeNext;
        return {
          async count() {
            // Adds the missing point. Unlike consume, a reward is never refused.
            if (isOpen()) await limiter.reward(id, RESERVED - COUNTED);
          },
          async giveBack() {
            if (isOpen()) await limiter.reward(id, RESERVED);
          },
        };
      },
    };
  };
}

/** An attempt of one key of a budget. */
interface Attempt {
  spend(): Promise<void>;
  giveBack(): Promise<void>;
}

export const attemptOf = <Key>(
  budget: { spend(key: Key): Promise<void>; giveBack(key: Key): Promise<void> },
  key: Key,
): Attempt => ({ spend: () => budget.spend(key), giveBack: () => budget.giveBack(key) });

/** Counts attempts, in order, or none of them if a budget refuses. Throws too_many_attempts. */
export async function spendAll(attempts: Attempt[]): Promise<void> {
  const spent: Attempt[] = [];
  try {
    for (const attempt of attempts) {
      await attempt.spend();
      spent.push(attempt);
    }
  } catch (error) {
    for (const attempt of spent) await attempt.giveBack();
    throw error;
  }
}

/** Hashes the key: it may contain an email address or a network, and may have any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
