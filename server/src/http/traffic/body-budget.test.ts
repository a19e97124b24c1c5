import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBodyBudget, sharesOfProcess } from './body-budget.ts';

const MIB = 1024 * 1024;
const sender = (name: string) => ({ name, isAnonymous: false });

/** How many bodies of 1 MiB, each from another sender, fit into the budget of one process. */
function largeBodies(processes: number): number {
  const budget = createBodyBudget(sharesOfProcess(processes));
  let held = 0;
  while (held < 1_000 && budget.hold(sender(`tenant ${held}`)).resize(MIB)) held++;
  return held;
}

describe('sharesOfProcess', () => {
  test('divides the budget of a server between its processes', () => {
    assert.deepEqual([1, 2, 3].map(largeBodies), [48, 24, 16]);
  });

  test('leaves each process room for one body of the largest size', () => {
    const budget = createBodyBudget(sharesOfProcess(64));
    assert.equal(budget.hold(sender('a')).resize(16 * MIB), true);
    assert.equal(budget.hold(sender('b')).resize(MIB), false);
  });
});
