import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBodyBudget, sharesOfProcess } from './body-budget.ts';

const MIB = 1024 * 1024;
const sender = (caller: string, network = caller) => ({ caller, network, isAnonymous: false });

/** How many bodies of 1 MiB, each from another sender, fit into the budget of one process. */
function largeBodies(processes: number): number {
  const budget = createBodyBudget(sharesOfProcess(processes));
  let held = 0;
  while (held < 1_000 && budget.hold(sender(`tenant ${held}`)).resize(MIB)) held++;
  return held;
}

describe('createBodyBudget', () => {
  test('leaves room for other networks if one network sends bodies of many tenants', () => {
    const KIB = 1024;
    for (const [size, most] of [
      [64 * KIB, 8 * MIB],
      [12 * MIB, 24 * MIB],
    ] as const) {
      const budget = createBodyBudget(sharesOfProcess(1));
      let held = 0;
      for (let tenant = 0; tenant < 100; tenant++)
        while (budget.hold(sender(`tenant ${tenant}`, 'hostile')).resize(size)) held += size;
      assert.equal(held, most);
      assert.equal(budget.hold(sender('honest')).resize(size), true);
    }
  });

  test('leaves room for small bodies if ten networks send as many as they may', () => {
    const budget = createBodyBudget(sharesOfProcess(1));
    for (let network = 0; network < 10; network++)
      for (let tenant = 0; tenant < 10; tenant++)
        while (budget.hold(sender(`${network} ${tenant}`, `network ${network}`)).resize(1024));
    assert.equal(budget.hold(sender('honest')).resize(64 * 1024), true);
  });
});

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
