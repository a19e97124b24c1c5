import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../core/problem.ts';
import { createAttemptBudgets } from './attempt-budget.ts';
import { createNetworkBudget } from './network-budget.ts';

const create = () =>
  createNetworkBudget(createAttemptBudgets(), { name: 'test', attempts: 2, seconds: 60, refusal: 'Enough.' });

const isAdmitted = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      return false;
    },
  );

/** An address in one of the networks of 2001:db8:1::/48. */
const inNetwork = (network: number) => `2001:db8:1:${network.toString(16)}::1`;

describe('createNetworkBudget', () => {
  test('admits the attempts of a network, and of eight networks in a site', async () => {
    const budget = create();
    const spend = (address: string) => isAdmitted(budget.spend(address));
    for (let network = 1; network <= 8; network++) {
      assert.ok(await spend(inNetwork(network)));
      assert.ok(await spend(inNetwork(network)));
      assert.ok(!(await spend(inNetwork(network))), 'a refusal of the network');
    }
    assert.ok(!(await spend(inNetwork(9))), 'a refusal of the site');
    await budget.giveBack(inNetwork(1));
    assert.ok(await spend(inNetwork(9)));
    assert.ok(await spend('2001:db8:2::1'), 'another site');
  });

  test('counts an IPv4 address once', async () => {
    const budget = create();
    for (const admitted of [true, true, false])
      assert.equal(await isAdmitted(budget.spend('192.0.2.1')), admitted);
    assert.ok(await isAdmitted(budget.spend('192.0.2.2')));
  });

  test('counts for each subject', async () => {
    const budget = create();
    for (const subject of ['a', 'b'])
      for (const admitted of [true, true, false])
        assert.equal(await isAdmitted(budget.spend('192.0.2.1', subject)), admitted);
  });

  test('takes nothing of the network if the site refuses', async () => {
    const budget = create();
    const reserved = await Promise.all(
      Array.from({ length: 16 }, (_, count) => budget.reserve(inNetwork(1 + (count >> 1)))),
    );
    const ninth = inNetwork(9);
    for (let count = 0; count < 5; count++) {
      assert.ok(!(await isAdmitted(budget.reserve(ninth))));
      assert.ok(!(await isAdmitted(budget.spend(ninth))));
    }
    await Promise.all(reserved.map((attempt) => attempt.giveBack()));
    for (const admitted of [true, true, false])
      assert.equal(await isAdmitted(budget.reserve(ninth)), admitted);
  });
});
