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
