import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesInSlices, inSlices } from './event-loop.ts';

/** Collects all slices, and counts the turns of the event loop in the meantime. */
async function taken<Slice>(slices: AsyncIterable<Slice>) {
  const all: Slice[] = [];
  let [turns, isDone] = [0, false];
  const counting = (async () => {
    for (; !isDone; turns++) await new Promise(setImmediate);
  })();
  for await (const slice of slices) all.push(slice);
  isDone = true;
  const during = turns;
  await counting;
  return { all, turns: during };
}

describe('inSlices', () => {
  test('yields all slices in order, with a turn of the event loop between slices', async () => {
    const { all, turns } = await taken(inSlices([1, 2, 3, 4, 5], 2));
    assert.deepEqual(all, [[1, 2], [3, 4], [5]]);
    assert.ok(turns >= 2);
  });

  test('yields nothing for an empty list', async () => {
    assert.deepEqual((await taken(inSlices([], 2))).all, []);
  });
});

describe('bytesInSlices', () => {
  test('yields all slices in order, with a turn of the event loop between slices', async () => {
    const bytes = Buffer.from('abcdefg');
    const { all, turns } = await taken(bytesInSlices(bytes, 3));
    assert.deepEqual(all.map(String), ['abc', 'def', 'g']);
    assert.ok(turns >= 2);
  });
});

describe('nextSlice', () => {
  test('gives each of several lists every fourth turn, in the order in which they ask', async () => {
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      for await (const slice of inSlices([1, 2, 3], 1)) order.push(`${name}${slice[0]}`);
    };
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; turns++) await new Promise(setImmediate);
    })();
    await Promise.all([take('a'), take('b')]);
    isDone = true;
    const during = turns;
    await counting;
    assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
    // Each list waits twice.
    assert.ok(during >= 4 * 4 - 1, `${during} turns`);
  });
});
