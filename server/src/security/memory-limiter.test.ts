import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryLimiter } from './memory-limiter.ts';

test('a new window is never longer than its duration', async (context) => {
  // 7000.004948 + 10000 - 7000.004948 is 10000.000000000002.
  context.mock.method(performance, 'now', () => 7000.004948);
  const limiter = new MemoryLimiter({ points: 1, duration: 10 });
  const { msBeforeNext } = await limiter.consume('key');
  assert.equal(msBeforeNext, 10_000);
});
