import type { AttemptBudget, CreateBudget } from '../../../security/attempt-budget.ts';

/** Counts the requests of an account that name a payer of a key. */
export type PayerBudget = Pick<AttemptBudget, 'spend'>;

/**
 * An agreement and its end notify both teams. For two teams of 100, each writes 0.8 MB of the database's log, and an account can make
 * 50,000 changes per day.
 */
export function createPayerBudget(createBudget: CreateBudget): PayerBudget {
  return createBudget({
    name: 'payers-of-keys',
    attempts: 200,
    seconds: 24 * 60 * 60,
    refusal: 'An account can name a payer 200 times in 24 hours. Try again later.',
  });
}
