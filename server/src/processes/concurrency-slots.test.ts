import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openChannelPair } from '../testing/channel-pair.ts';
import {
  createAcquireSlots,
  createConcurrencySlots,
  createProcessSlots,
  type Slot,
} from './concurrency-slots.ts';

/** Two processes that count in one primary process. */
function twoProcesses() {
  const shared = createConcurrencySlots();
  return [1, 2].map(() => {
    const slots = createProcessSlots(shared);
    const { primary } = openChannelPair({ 'acquire-slots': slots.acquire, 'release-slots': slots.release });
    return { acquire: createAcquireSlots(primary), slots, primary };
  });
}

const one: Slot[] = [{ owner: 'a', limit: 1 }];

describe('createAcquireSlots', () => {
  test('counts the slots of two processes together', async () => {
    const [first, second] = twoProcesses();
    const release = await first!.acquire([
      { owner: 'a', limit: 2 },
      { owner: 'all', limit: 3 },
    ]);
    assert.equal(typeof release, 'function');
    assert.equal(typeof (await second!.acquire([{ owner: 'a', limit: 2 }])), 'function');
    assert.equal(await first!.acquire([{ owner: 'a', limit: 2 }]), 0);
    assert.equal(
      await second!.acquire([
        { owner: 'b', limit: 1 },
        { owner: 'a', limit: 2 },
      ]),
      1,
      'the index of the full owner',
    );
    assert.equal(
      typeof (await second!.acquire([{ owner: 'b', limit: 1 }])),
      'function',
      'a refusal acquires nothing',
    );
    (release as () => void)();
    assert.equal(typeof (await second!.acquire([{ owner: 'a', limit: 2 }])), 'function');
  });

  test('leaves free slots for others while few owners use all that they may have', async () => {
    const acquire = createAcquireSlots();
    const all = { owner: 'all', limit: 32 };
    const acquireAll = async (owner: string): Promise<number> => {
      for (let count = 0; ; count++)
        if (typeof (await acquire([{ owner, limit: 8, fallsWith: all }, all])) === 'number') return count;
    };
    const owners = Array.from({ length: 12 }, (_, index) => `owner ${index}`);
    const held: number[] = [];
    for (const owner of owners) held.push(await acquireAll(owner));
    assert.deepEqual(held, [8, 6, 4, 3, 3, 2, 1, 1, 1, 1, 1, 1]);
    assert.equal(await acquireAll('other'), 0, 'none is left');
  });

  test('releases the slots of a process that has ended', async () => {
    const [first, second] = twoProcesses();
    await first!.acquire(one);
    assert.equal(await second!.acquire(one), 0);
    first!.slots.releaseAll();
    assert.equal(typeof (await second!.acquire(one)), 'function');
  });

  test('counts in its own memory while the primary process does not respond', async () => {
    const [first] = twoProcesses();
    first!.primary.close();
    const release = await first!.acquire(one);
    assert.equal(await first!.acquire(one), 0);
    (release as () => void)();
    assert.equal(typeof (await first!.acquire(one)), 'function');
  });
});
