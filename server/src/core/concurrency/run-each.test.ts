import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEach } from './run-each.ts';

describe('runEach', () => {
  test('runs the steps after one that fails, and throws what failed', async () => {
    const done: number[] = [];
    const failure = new Error('disk full');
    const steps = [1, 2, 3].map((number) => async () => {
      if (number === 2) throw failure;
      done.push(number);
    });
    await assert.rejects(runEach(steps), {
      message: '1 of the steps failed. The first: disk full',
      cause: failure,
    });
    assert.deepEqual(done, [1, 3]);
  });

  test('ends at the tenth failure', async () => {
    let attempts = 0;
    const step = async () => {
      throw new Error(`failure ${++attempts}`);
    };
    await assert.rejects(
      runEach(Array.from({ length: 20 }, () => step)),
      /^Error: 10 of the steps .* failure 1$/,
    );
    assert.equal(attempts, 10);
  });
});
