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

/** Reserves the ten attempts of budgets in parallel, gives them back, and then counts ten. Checks which attempts are refused, and how. */
export async function checkReservations(among: AttemptBudget[], key: string): Promise<void> {
  const reserveAll = async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => among[index % among.length]!.reserve(key)),
    );
    for (const result of results)
      if (result.status === 'rejected') assert.equal(retryAfter(result.reason), 1);
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  };
  for (let round = 0; round < 3; round++) {
    const reserved = await reserveAll();
    assert.equal(reserved.length, 10);
    await Promise.all(reserved.map((attempt) => attempt.giveBack()));
  }
  const [last, ...others] = await reserveAll();
  await Promise.all(others.map((attempt) => attempt.count()));
  assert.equal((await reserveAll()).length, 0, 'one attempt may still be given back');
  await last!.count();
  for (const budget of among)
    await assert.rejects(budget.reserve(key), (refused) => retryAfter(refused) > 50);
}

const retryAfter = (refused: unknown): number => (refused as ProblemError).details.retryAfter!;
