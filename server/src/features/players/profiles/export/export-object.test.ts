import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { streamObject, type Chunks } from './export-object.ts';

async function* chunks(...lists: object[][]): Chunks {
  yield* lists;
}

describe('streamObject', () => {
  test('formats lists of several chunks, empty chunks and no chunks', async () => {
    const sections = {
      several: chunks([{ n: 1 }, { n: 2 }], [], [{ n: 3 }], []),
      empty: chunks([]),
      none: chunks(),
    };
    const pieces = await Array.fromAsync(streamObject({ id: 7 }, sections));
    assert.deepEqual(JSON.parse(pieces.join('')), {
      id: 7,
      several: [{ n: 1 }, { n: 2 }, { n: 3 }],
      empty: [],
      none: [],
    });
  });

  test('yields one piece for each chunk, and the end', async () => {
    const pieces = await Array.fromAsync(streamObject({}, { one: chunks([{}], [{}]), other: chunks([]) }));
    assert.equal(pieces.length, 4);
  });
});
