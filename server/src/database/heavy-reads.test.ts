import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../core/problem.ts';
import { createHeavySlots } from './heavy-reads.ts';

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof ProblemError && error.code === code && error.details.retryAfter !== undefined;

describe('createHeavySlots', () => {
  test('rejects reads beyond the queue of a tenant with too_many_reads, and late ones with busy', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { run, waiting } = createHeavySlots(2);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const first = run('a', () => held);
    const queued = Array.from({ length: 16 }, () => run('a', () => held));
    assert.equal(waiting(), 16);
    await assert.rejects(
      run('a', () => held),
      refusedWith('too_many_reads'),
    );
    t.mock.timers.tick(10_000);
    for (const read of queued) await assert.rejects(read, refusedWith('busy'));
    release();
    await first;
  });

  test('throws the error of a read unchanged', async () => {
    const { run } = createHeavySlots(2);
    await assert.rejects(
      run('a', () => Promise.reject(new Error('broken'))),
      /broken/,
    );
  });
});
