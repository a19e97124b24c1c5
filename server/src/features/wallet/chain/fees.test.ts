import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTooLow, loweredCap, raisedCap } from './fees.ts';

describe('raisedCap', () => {
  const fees = { baseFee: 1, priorityFee: 1 };

  test('raises by a quarter, or to the limit if that is 10 % more', () => {
    assert.deepEqual(raisedCap(fees, { maxFee: 100, priorityFee: 8 }, 500), { maxFee: 125, priorityFee: 10 });
    assert.deepEqual(raisedCap(fees, { maxFee: 450, priorityFee: 8 }, 500), { maxFee: 500, priorityFee: 10 });
  });

  test('raises a priority fee of 0 too, because nodes compare both fees', () => {
    const free = { baseFee: 1, priorityFee: 0 };
    assert.deepEqual(raisedCap(free, { maxFee: 100, priorityFee: 0 }, 500), { maxFee: 125, priorityFee: 1 });
  });

  test('returns undefined if nodes would refuse a cap within the limit', () => {
    assert.equal(raisedCap(fees, { maxFee: 480, priorityFee: 8 }, 500), undefined);
    assert.equal(raisedCap(fees, { maxFee: 500, priorityFee: 8 }, 500), undefined);
  });
});

test('isTooLow is true only for a cap below the base fee', () => {
  const cap = { maxFee: 100, priorityFee: 1 };
  assert.deepEqual([isTooLow(cap, 100), isTooLow(cap, 101)], [false, true]);
});

test('loweredCap returns a cap of at most half of the one before', () => {
  const fees = { baseFee: 12, priorityFee: 2 };
  assert.deepEqual(loweredCap(fees, { maxFee: 100, priorityFee: 40 }, 500), { maxFee: 50, priorityFee: 2 });
  assert.equal(loweredCap(fees, { maxFee: 99, priorityFee: 40 }, 500), undefined);
});
