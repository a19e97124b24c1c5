import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { ProblemError } from '../../../core/problem.ts';
import { createChallengeBudget } from './challenge-budget.ts';

const ADDRESS = '192.0.2.1';

describe('createChallengeBudget', () => {
  test('allows 300 unanswered challenges per network and tenant', async () => {
    const budget = createChallengeBudget(createAttemptBudgets());
    for (let count = 0; count < 300; count++) await budget.spend(ADDRESS, 'a');
    await assert.rejects(
      budget.spend(ADDRESS, 'a'),
      (problem: ProblemError) => problem.code === 'too_many_attempts' && problem.details.retryAfter! > 800,
    );
    await budget.spend(ADDRESS, 'b');
    await budget.spend('192.0.2.2', 'a');
    await budget.spend(null, 'a');
  });

  test('counts the addresses of one IPv6 network together', async () => {
    const budget = createChallengeBudget(createAttemptBudgets());
    for (let count = 1; count <= 300; count++) await budget.spend(`2001:db8::${count.toString(16)}`, 'a');
    await assert.rejects(budget.spend('2001:db8::ffff', 'a'), ProblemError);
  });

  test('does not count answered challenges', async () => {
    const budget = createChallengeBudget(createAttemptBudgets());
    for (let count = 0; count < 600; count++) {
      await budget.spend(ADDRESS, 'a');
      await budget.giveBack(ADDRESS, 'a');
    }
    for (let count = 0; count < 300; count++) await budget.spend(ADDRESS, 'a');
    await assert.rejects(budget.spend(ADDRESS, 'a'), ProblemError);
  });
});
