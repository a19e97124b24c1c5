import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError } from '../core/problem.ts';
import { createAttemptBudgets } from './attempt-budget.ts';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts';

const wrong = async () => false;
const right = async () => true;

/** How many of so many wrong passwords, each for another account, are compared. */
async function compared(throttle: LoginThrottle, addresses: string[]): Promise<number> {
  let count = 0;
  for (const [index, address] of addresses.entries()) {
    const attempt = throttle.attempt(`account ${index}`, address, wrong);
    await attempt.then(
      () => count++,
      (error: unknown) => assert.equal((error as ProblemError).code, 'too_many_attempts'),
    );
  }
  return count;
}

test('one address may try a hundred wrong passwords', async () => {
  const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
  assert.equal(await compared(throttle, Array(102).fill('192.0.2.1')), 100);
  await assert.rejects(throttle.attempt('someone', '192.0.2.1', right), ProblemError);
  assert.equal(await throttle.attempt('someone', '192.0.2.2', right), true);
});

test('the addresses of one IPv6 network count as one', async () => {
  const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
  const addresses = Array.from({ length: 102 }, (_, index) => `2001:db8::${(index + 1).toString(16)}`);
  assert.equal(await compared(throttle, addresses), 100);
  assert.equal(await throttle.attempt('someone', '2001:db8:0:1::1', right), true);
});

test('IPv4 addresses written as IPv6 do not', async () => {
  const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
  const addresses = Array.from({ length: 102 }, (_, index) => `::ffff:192.0.2.${index + 1}`);
  assert.equal(await compared(throttle, addresses), 102);
});

test('right passwords and failures of ours cost nothing', async () => {
  const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
  for (let login = 0; login < 20; login++)
    assert.equal(await throttle.attempt('ada', '192.0.2.1', right), true);
  for (let login = 0; login < 20; login++)
    await assert.rejects(
      throttle.attempt('ada', '192.0.2.1', () => Promise.reject(new Error('busy'))),
      /busy/,
    );
  assert.equal(await throttle.attempt('ada', '192.0.2.1', wrong), false);
});

test('whoever keeps trying one account after its budget is spent does not lock out their network', async () => {
  const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
  for (let attempt = 0; attempt < 10; attempt++)
    assert.equal(await throttle.attempt('ada', '192.0.2.1', wrong), false);
  for (let attempt = 0; attempt < 100; attempt++)
    await assert.rejects(throttle.attempt('ada', '192.0.2.1', wrong), ProblemError);
  assert.equal(await throttle.attempt('bob', '192.0.2.1', right), true);
});
