import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { ProblemError } from '../../../core/problem.ts';
import { createChallengeThrottle, type ChallengeSource } from './challenge-throttle.ts';

const asker: ChallengeSource = { tenantId: 'a', ipAddress: '192.0.2.1' };

describe('createChallengeThrottle', () => {
  test('allows 300 unanswered challenges per network and tenant', async () => {
    const throttle = createChallengeThrottle(createAttemptBudgets());
    for (let count = 0; count < 300; count++) await throttle.spend(asker);
    await assert.rejects(
      throttle.spend(asker),
      (problem: ProblemError) => problem.code === 'too_many_attempts' && problem.details.retryAfter! > 800,
    );
    await throttle.spend({ ...asker, tenantId: 'b' });
    await throttle.spend({ ...asker, ipAddress: '192.0.2.2' });
    await throttle.spend({ ...asker, ipAddress: null });
  });

  test('counts the addresses of one IPv6 network together', async () => {
    const throttle = createChallengeThrottle(createAttemptBudgets());
    for (let count = 1; count <= 300; count++)
      await throttle.spend({ ...asker, ipAddress: `2001:db8::${count.toString(16)}` });
    await assert.rejects(throttle.spend({ ...asker, ipAddress: '2001:db8::ffff' }), ProblemError);
  });

  test('does not count answered challenges', async () => {
    const throttle = createChallengeThrottle(createAttemptBudgets());
    for (let count = 0; count < 600; count++) {
      await throttle.spend(asker);
      await throttle.giveBack(asker);
    }
    for (let count = 0; count < 300; count++) await throttle.spend(asker);
    await assert.rejects(throttle.spend(asker), ProblemError);
  });
});
