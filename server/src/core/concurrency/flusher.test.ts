import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFlusher } from './flusher.ts';

const NEVER_MS = 2 ** 30;

describe('createFlusher', () => {
  test('writes once for all calls that wait for a running write, and once more at the end', async () => {
    const slow = Promise.withResolvers<void>();
    let begun = 0;
    let done = 0;
    const { flush, close } = createFlusher(NEVER_MS, async () => {
      if (++begun === 1) await slow.promise;
      done++;
    });
    const first = flush();
    await new Promise(setImmediate);
    const waiting = Array.from({ length: 5 }, () => flush().then(() => done));
    assert.equal(begun, 1);
    slow.resolve();
    await first;
    assert.deepEqual(await Promise.all(waiting), [2, 2, 2, 2, 2]);
    await close();
    assert.equal(done, 3);
  });
});
