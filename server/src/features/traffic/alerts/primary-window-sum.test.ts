import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openChannelPair } from '../../../testing/channel-pair.ts';
import { createPrimaryWindowSum, createWindowSumHandler } from './primary-window-sum.ts';

describe('createPrimaryWindowSum', () => {
  test('adds up the counts of several processes within a minute', async () => {
    let now = 1_000_000_000;
    const handlers = { 'sum-windows': createWindowSumHandler(() => now) };
    const [one, other] = [1, 2].map(() => createPrimaryWindowSum(openChannelPair(handlers).primary));
    const report = (amount: number) => [{ name: 'rate_spike:a', amounts: [{ age: 0, amount }] }];
    assert.deepEqual(await one!(report(5)), [{ sum: 5, age: 0 }]);
    assert.deepEqual(await other!(report(7)), [{ sum: 12, age: 0 }]);
    assert.deepEqual(await one!([{ name: 'rate_spike:a', amounts: [] }]), [{ sum: 12, age: 0 }]);
    assert.deepEqual(await one!([{ name: 'rate_spike:b', amounts: [] }]), [{ sum: 0, age: 0 }]);
    const amounts = [
      { age: 1, amount: 5 },
      { age: 0, amount: 3 },
    ];
    assert.deepEqual(
      await one!([{ name: 'rate_spike:c', amounts }]),
      [{ sum: 8, age: 0 }],
      'the fullest minute',
    );
    now += 61_000;
    assert.deepEqual(await one!(report(1)), [{ sum: 1, age: 0 }]);
  });

  test('returns no sum while the primary process does not answer', async () => {
    const { primary } = openChannelPair({});
    const sum = createPrimaryWindowSum(primary);
    primary.close();
    assert.deepEqual(await sum([{ name: 'a', amounts: [] }]), [undefined]);
  });
});
