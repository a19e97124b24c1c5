import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemError } from '../core/problem.ts';
import { createAttemptBudgets } from './attempt-budget.ts';
import { createSignUpBudget } from './sign-up-budget.ts';

describe('createSignUpBudget', () => {
  for (const [whose, allowed] of [
    ['accounts', 300],
    ['players', 600],
    ['wallets', 600],
  ] as const) {
    test(`allows ${allowed} sign-ups in 10 minutes (${whose})`, async () => {
      const { spend } = createSignUpBudget(createAttemptBudgets(), whose);
      for (let signUp = 0; signUp < allowed; signUp++) await spend('192.0.2.1');
      await assert.rejects(spend('192.0.2.1'), (refused: ProblemError) => {
        assert.equal(refused.code, 'too_many_attempts');
        const wait = refused.details.retryAfter!;
        return wait > 0 && wait <= 600;
      });
      await spend('192.0.2.2');
    });
  }

  test('counts the addresses of one IPv6 network together', async () => {
    const { spend } = createSignUpBudget(createAttemptBudgets(), 'accounts');
    for (let signUp = 0; signUp < 300; signUp++) await spend(`2001:db8::${signUp.toString(16)}`);
    await assert.rejects(spend('2001:db8::ffff:1'));
    await spend('2001:db8:0:1::1');
  });
});
