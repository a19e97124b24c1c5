import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRollingWindow, WINDOW_SECONDS } from './rolling-window.ts';

describe('createRollingWindow', () => {
  test('drops an amount 60 seconds later', () => {
    const window = createRollingWindow();
    assert.equal(window.add(1000, 5), 5);
    assert.equal(window.add(1059, 1), 6);
    assert.equal(window.sum(1059), 6);
    assert.equal(window.sum(1060), 1);
    assert.equal(window.sum(1118), 1);
    assert.equal(window.sum(1119), 0);
    assert.equal(window.add(99_999, 2), 2);
  });

  test('does not move when the clock is set back', () => {
    const window = createRollingWindow();
    window.add(1000, 1);
    assert.equal(window.add(500, 1), 2);
    assert.equal(window.sum(1059), 2);
    assert.equal(window.sum(1060), 0);
  });

  test('returns the sum of the last 60 seconds (property)', () => {
    const steps = fc.array(fc.record({ wait: fc.nat(90), amount: fc.nat(1_000_000) }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), steps, (start, counted) => {
        const window = createRollingWindow();
        const all: { second: number; amount: number }[] = [];
        let second = start;
        for (const { wait, amount } of counted) {
          second += wait;
          all.push({ second, amount });
          const within = all.filter((one) => one.second > second - WINDOW_SECONDS);
          const expected = within.reduce((sum, one) => sum + one.amount, 0);
          assert.equal(window.add(second, amount), expected);
          assert.equal(window.sum(second), expected);
        }
      }),
    );
  });
});
