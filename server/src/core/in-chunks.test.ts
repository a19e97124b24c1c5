import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inChunks } from './in-chunks.ts';

/** Reads the numbers after `start` up to `end` in chunks of two. */
const read = (end: number, start?: number) =>
  Array.fromAsync(
    inChunks(2, async (last = 0) => [last + 1, last + 2].filter((number) => number <= end), start),
  );

describe('inChunks', () => {
  test('reads each chunk after the last row of the previous one, until one is shorter', async () => {
    assert.deepEqual(await read(3), [[1, 2], [3]]);
  });

  test('ends with an empty chunk if no rows follow a full one', async () => {
    assert.deepEqual(await read(0), [[]]);
    assert.deepEqual(await read(4), [[1, 2], [3, 4], []]);
  });

  test('begins after the given row', async () => {
    assert.deepEqual(await read(5, 3), [[4, 5], []]);
  });
});
