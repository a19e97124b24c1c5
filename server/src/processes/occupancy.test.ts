import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openChannelPair } from '../testing/channel-pair.ts';
import { createOccupancy, createProcessPlaces, createTakePlaces, type Place } from './occupancy.ts';

/** Two processes that count in one primary process. */
function twoProcesses() {
  const occupancy = createOccupancy();
  return [1, 2].map(() => {
    const places = createProcessPlaces(occupancy);
    const { asking } = openChannelPair({ enter: places.enter, leave: places.leave });
    return { take: createTakePlaces(asking), places, asking };
  });
}

const one: Place[] = [['a', 1]];

describe('createTakePlaces', () => {
  test('counts the places of two processes together', async () => {
    const [first, second] = twoProcesses();
    const leave = await first!.take([
      ['a', 2],
      ['all', 3],
    ]);
    assert.equal(typeof leave, 'function');
    assert.equal(typeof (await second!.take([['a', 2]])), 'function');
    assert.equal(await first!.take([['a', 2]]), 0);
    assert.equal(
      await second!.take([
        ['b', 1],
        ['a', 2],
      ]),
      1,
      'the index of the full holder',
    );
    assert.equal(typeof (await second!.take([['b', 1]])), 'function', 'a refusal takes nothing');
    (leave as () => void)();
    assert.equal(typeof (await second!.take([['a', 2]])), 'function');
  });

  test('gives back the places of a process that has ended', async () => {
    const [first, second] = twoProcesses();
    await first!.take(one);
    assert.equal(await second!.take(one), 0);
    first!.places.leaveAll();
    assert.equal(typeof (await second!.take(one)), 'function');
  });

  test('counts in its own memory while the primary process does not answer', async () => {
    const [first] = twoProcesses();
    first!.asking.close();
    const leave = await first!.take(one);
    assert.equal(await first!.take(one), 0);
    (leave as () => void)();
    assert.equal(typeof (await first!.take(one)), 'function');
  });
});
