import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestartPauses } from './restart-pause.ts';

describe('createRestartPauses', () => {
  test('doubles from 1 to 30 seconds, and begins again after 60 seconds of answers', () => {
    let now = 0;
    const nextPause = createRestartPauses(() => now);
    const pauses = Array.from({ length: 7 }, () => nextPause(undefined) / 1000);
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30]);
    now = 60_000;
    assert.equal(nextPause(0), 30_000, 'not longer than 60 seconds');
    now = 60_001;
    assert.equal(nextPause(0), 1000);
  });
});
