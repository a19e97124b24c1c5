import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeat } from './repeat.ts';

test('repeat reports an error once, until its message changes or the work succeeds', async () => {
  const outcomes = ['refused', 'refused', 'shut down', 'shut down', undefined, 'refused', 'refused'];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const reported: string[] = [];
  let runs = 0;
  const work = async (): Promise<void> => {
    if (runs === outcomes.length) return resolve();
    const failure = outcomes[runs++];
    if (failure) throw new Error(failure);
  };
  const repeated = repeat(0, work, (error) => void reported.push((error as Error).message));
  await done;
  await repeated.stop();
  assert.deepEqual(reported, ['refused', 'shut down', 'refused']);
});
