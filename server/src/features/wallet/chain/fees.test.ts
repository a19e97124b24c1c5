import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { raisedCap } from './fees.ts';

describe('raisedCap', () => {
  const fees = { baseFee: 1, priorityFee: 1 };

  test('raises by a quarter, or to the limit if that is 10 % more', () => {
    assert.deepEqual(raisedCap(fees, { maxFee: 100, priorityFee: 8 }, 500), { maxFee: 125, priorityFee: 10 });
    assert.deepEqual(raisedCap(fees, { maxFee: 450, priorityFee: 8 }, 500), { maxFee: 500, priorityFee: 10 });
  });

  test('returns undefined if nodes would refuse a cap within the limit', () => {
    assert.equal(raisedCap(fees, { maxFee: 480, priorityFee: 8 }, 500), undefined);
    assert.equal(raisedCap(fees, { maxFee: 500, priorityFee: 8 }, 500), undefined);
  });
});
