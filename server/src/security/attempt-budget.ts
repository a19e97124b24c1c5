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

/** Creates budgets that all processes share. */
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
            retryAfter: wait,
          });
        }
      },
      async giveBack(key) {
        await limiter.reward(digest(key));
      },
    };
  };
}

/** Hashes the key: it may contain an email address or a network, and may have any length. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
