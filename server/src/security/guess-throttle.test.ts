import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '../core/problem.ts';
import { createAttemptBudgets } from './attempt-budget.ts';
import { createLoginThrottle, type GuessThrottle } from './guess-throttle.ts';

const wrong = async () => false;
const right = async () => true;
const slowly = (result: boolean) => () => sleep(5, result);

/** Tries one wrong password per account from these addresses, and returns how many were compared. */
async function compared(throttle: GuessThrottle, addresses: string[]): Promise<number> {
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

describe('createLoginThrottle', () => {
  test('allows 100 wrong passwords per address', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    assert.equal(await compared(throttle, Array(102).fill('192.0.2.1')), 100);
    await assert.rejects(throttle.attempt('someone', '192.0.2.1', right), ProblemError);
    assert.equal(await throttle.attempt('someone', '192.0.2.2', right), true);
  });

  test('counts the addresses of one IPv6 network together', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    const addresses = Array.from({ length: 102 }, (_, index) => `2001:db8::${(index + 1).toString(16)}`);
    assert.equal(await compared(throttle, addresses), 100);
    assert.equal(await throttle.attempt('someone', '2001:db8:0:1::1', right), true);
  });

  test('counts the wrong passwords of all networks of an IPv6 site together', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    const addresses = Array.from({ length: 802 }, (_, index) => `2001:db8:1:${(index + 1).toString(16)}::1`);
    assert.equal(await compared(throttle, addresses), 800);
    for (let network = 1; network <= 10; network++)
      assert.equal(await throttle.attempt('ada', `2001:db8:2:${network}::1`, wrong), false);
    await assert.rejects(throttle.attempt('ada', '2001:db8:2:11::1', right), ProblemError);
    assert.equal(await throttle.attempt('ada', '2001:db8:3::1', right), true);
  });

  test('counts IPv4-mapped IPv6 addresses separately', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    const addresses = Array.from({ length: 102 }, (_, index) => `::ffff:192.0.2.${index + 1}`);
    assert.equal(await compared(throttle, addresses), 102);
  });

  test('does not count right passwords and internal errors', async () => {
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

  test('locks neither the account nor the network for right passwords in parallel', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    for (const [holderOf, admitted] of [
      [() => 'ada', 10],
      [(login: number) => `player ${login}`, 100],
    ] as const) {
      const logins = await Promise.allSettled(
        Array.from({ length: 300 }, (_, login) =>
          throttle.attempt(holderOf(login), '192.0.2.1', slowly(true)),
        ),
      );
      const refused = logins.filter((login) => login.status === 'rejected').map(({ reason }) => reason);
      assert.equal(logins.length - refused.length, admitted);
      for (const { code, details } of refused)
        assert.deepEqual([code, details.retryAfter], ['too_many_attempts', 1]);
      assert.equal(await throttle.attempt(holderOf(0), '192.0.2.1', right), true);
    }
  });

  test('compares ten of many parallel wrong passwords, mixed with right ones', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    let wrongOnes = 0;
    for (let round = 0; round < 20; round++)
      await Promise.allSettled(
        Array.from({ length: 30 }, async (_, index) => {
          if (!(await throttle.attempt('ada', '192.0.2.1', slowly(index % 5 !== 0)))) wrongOnes++;
        }),
      );
    assert.equal(wrongOnes, 10);
    await assert.rejects(
      throttle.attempt('ada', '192.0.2.1', right),
      ({ details }: ProblemError) => details.retryAfter! > 800,
    );
  });

  test('does not block the network when one account has no attempts left', async () => {
    const throttle = createLoginThrottle(createAttemptBudgets(), 'accounts');
    for (let attempt = 0; attempt < 10; attempt++)
      assert.equal(await throttle.attempt('ada', '192.0.2.1', wrong), false);
    for (let attempt = 0; attempt < 100; attempt++)
      await assert.rejects(throttle.attempt('ada', '192.0.2.1', wrong), ProblemError);
    assert.equal(await throttle.attempt('bob', '192.0.2.1', right), true);
  });
});
