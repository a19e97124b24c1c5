import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countAdmitted } from '../testing/attempt-budgets.ts';
import { createAttemptBudgets, networkOf } from './attempt-budget.ts';

const options = { name: 'guesses', attempts: 10, seconds: 60, refusal: 'Enough.' };

describe('createAttemptBudgets', () => {
  test('counts in each process without Redis', async () => {
    const [one, two] = [createAttemptBudgets()(options), createAttemptBudgets()(options)];
    assert.equal(await countAdmitted([one], 'ada', 30), 10);
    assert.equal(await countAdmitted([two], 'ada', 30), 10);
  });
});

describe('networkOf', () => {
  test('returns the IPv4 address, or the /64 of an IPv6 address', () => {
    assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
    assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
    assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0');
    assert.equal(networkOf(null), 'unknown');
  });
});
