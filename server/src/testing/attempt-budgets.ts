import assert from 'node:assert/strict';
import type { AttemptBudget } from '../security/attempt-budget.ts';
import type { ProblemError } from '../core/problem.ts';

/**
 * Makes concurrent attempts, spread over budgets, and returns how many are admitted. The rejected ones must have a
 * Retry-After.
 */
export async function countAdmitted(among: AttemptBudget[], key: string, attempts: number): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: attempts }, (_, index) => among[index % among.length]!.spend(key)),
  );
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    const { code, details } = result.reason as ProblemError;
    assert.deepEqual([code, details.detail], ['too_many_attempts', 'Enough.']);
    const seconds = details.retryAfter!;
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}
