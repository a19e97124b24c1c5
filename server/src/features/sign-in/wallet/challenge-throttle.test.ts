import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { ProblemError } from '../../../core/problem.ts';
import { createChallengeThrottle } from './challenge-throttle.ts';

const ADDRESS = '192.0.2.1';

describe('createChallengeThrottle', () => {
  test('allows 300 unanswered challenges per network and tenant', async () => {
    const throttle = createChallengeThrottle(createAttemptBudgets());
    for (let count = 0; count < 300; count++) await throttle.spend(ADDRESS, 'a');
    await assert.rejects(
      throttle.spend(ADDRESS, 'a'),
      (problem: ProblemError) => problem.code === 'too_many_attempts' && problem.details.retryAfter! > 800,
    );
    await throttle.spend(ADDRESS, 'b');
    await throttle.spend('192.0.2.2', 'a');
    await throttle.spend(null, 'a');
  });

  test('counts the addresses of one IPv6 network together', async () => {
    const throttle = createChallengeThrottle(createAttemptBudgets());
    for (let count = 1; count <= 300; count++) await throttle.spend(`2001:db8::${count.toString(16)}`, 'a');
    await assert.rejects(throttle.spend('2001:db8::ffff', 'a'), ProblemError);
  });

  test('does not count answered challenges', async () => {
    const throttle = createChallengeThrottle(createAttemptBudgets());
    for (let count = 0; count < 600; count++) {
      await throttle.spend(ADDRESS, 'a');
      await throttle.giveBack(ADDRESS, 'a');
    }
    for (let count = 0; count < 300; count++) await throttle.spend(ADDRESS, 'a');
    await assert.rejects(throttle.spend(ADDRESS, 'a'), ProblemError);
  });
});
