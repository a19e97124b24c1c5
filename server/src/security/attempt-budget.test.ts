import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAdmitted } from '../testing/attempt-budgets.ts';
import { createAttemptBudgets, networkOf } from './attempt-budget.ts';

const options = { name: 'guesses', attempts: 10, seconds: 60, refusal: 'Enough.' };

test('without Redis a process has its own', async () => {
  const [one, two] = [createAttemptBudgets()(options), createAttemptBudgets()(options)];
  assert.equal(await countAdmitted([one], 'ada', 30), 10);
  assert.equal(await countAdmitted([two], 'ada', 30), 10);
});

test('a network is an IPv4 address, or the /64 of an IPv6 one', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0');
  assert.equal(networkOf(null), 'unknown');
});
