import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBodyBudget, sharesOfProcess } from './body-budget.ts';

const MIB = 1024 * 1024;
const sender = (caller: string, network = caller) => ({ caller, network, isAnonymous: false });

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

  test('leaves room for a body while another network sends its largest allowed bodies', () => {
    const budget = createBodyBudget(sharesOfProcess(1));
    for (let network = 0; network < 3; network++)
      for (let size = 16 * MIB; size > MIB; size /= 2) budget.hold(sender(`hostile ${network}`)).resize(size);
    assert.equal(budget.hold(sender('honest')).resize(MIB), true);
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
  test('divides the budget of a server between its processes, with room for two bodies of the largest size in each', () => {
    const totals = [1, 2, 3].map((processes) => sharesOfProcess(processes).large.total);
    assert.deepEqual(totals, [48 * MIB, 32 * MIB, 32 * MIB]);
  });

  for (const processes of [1, 2, 3, 8, 64])
    test(`leaves room for others if one caller fills what it may (processes: ${processes})`, () => {
      for (const isAnonymous of [true, false])
        for (const size of isAnonymous ? [64 * 1024] : [64 * 1024, 16 * MIB]) {
          const budget = createBodyBudget(sharesOfProcess(processes));
          const hold = (name: string, bytes: number) =>
            budget.hold({ caller: name, network: name, isAnonymous }).resize(bytes);
          assert.equal(hold('hostile', size), true);
          while (hold('hostile', size));
          assert.equal(hold('honest', Math.min(size, MIB)), true);
        }
    });
});
