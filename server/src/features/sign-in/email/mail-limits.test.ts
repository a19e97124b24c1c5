import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../../../core/problem.ts';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { createMailBudget } from './mail-limits.ts';

const request = (
  budget: ReturnType<typeof createMailBudget>,
  work: () => Promise<{ isSent: boolean }> = async () => ({ isSent: true }),
) => budget.count('192.0.2.1', 'ada@example.com', work);
const failing = (problem: ProblemError) => async () => {
  throw problem;
};

describe('createMailBudget', () => {
  test('refuses an eleventh email from one network to one address', async () => {
    const budget = createMailBudget(createAttemptBudgets());
    for (let count = 0; count < 10; count++) await request(budget);
    await assert.rejects(request(budget), { code: 'too_many_attempts' });
  });

  test('does not count a request that a busy server refuses', async () => {
    const budget = createMailBudget(createAttemptBudgets());
    for (let count = 0; count < 10; count++)
      await assert.rejects(request(budget, failing(new ProblemError('busy'))), { code: 'busy' });
    await request(budget);
  });

  test('counts a request that the limit of the address refuses', async () => {
    const budget = createMailBudget(createAttemptBudgets());
    for (let count = 0; count < 10; count++)
      await assert.rejects(request(budget, failing(new ProblemError('too_many_attempts'))));
    await assert.rejects(request(budget), /from this network/);
  });
});
