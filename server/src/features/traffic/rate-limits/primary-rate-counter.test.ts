import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { openChannelPair } from '../../../testing/channel-pair.ts';
import { keyWith } from '../../../testing/key-callers.ts';
import { createLimiterHandler } from '../../../security/primary-limiter.ts';
import { createRateCounterHandler, createRateLimits } from './index.ts';

const keyless = { account: 5, network: 5 };

/** Processes that count in one primary process. */
function startProcesses(count: number) {
  const handlers = { 'count-request': createRateCounterHandler(), limit: createLimiterHandler() };
  return Array.from({ length: count }, () => {
    const { primary } = openChannelPair(handlers);
    const warnings: string[] = [];
    const logger = { warn: (_details: object, message: string) => void warnings.push(message) };
    const limits = createRateLimits({ primary, keyless, metrics: new Registry(), logger });
    return { limits, primary, warnings };
  });
}

describe('rate limits of several processes without Redis', () => {
  test('admit exactly the limit of a key', async () => {
    const processes = startProcesses(3);
    const key = keyWith(50);
    const verdicts = await Promise.all(
      Array.from({ length: 90 }, async (_, index) => processes[index % 3]!.limits.count(key)),
    );
    assert.equal(verdicts.filter(({ admitted }) => admitted).length, 50);
    assert.deepEqual(
      verdicts
        .filter(({ admitted }) => admitted)
        .map(({ remaining }) => remaining)
        .toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, remaining) => remaining),
      'each admitted request sees one less',
    );
  });

  test('admit exactly the limit of a caller without a key', async () => {
    const processes = startProcesses(2);
    const verdicts = await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        processes[index % 2]!.limits.countKeyless({ kind: 'network', id: '192.0.2.1' }, 1),
      ),
    );
    assert.equal(verdicts.filter(({ admitted }) => admitted).length, 50);
  });

  test('continue from the cached counts when the primary process does not answer, with one warning', async () => {
    const [{ limits, primary, warnings }] = startProcesses(1) as [ReturnType<typeof startProcesses>[0]];
    const key = keyWith(10);
    for (let request = 0; request < 7; request++) await limits.count(key);
    primary.close();
    const admitted = await Promise.all(
      Array.from({ length: 7 }, async () => (await limits.count(key)).admitted),
    );
    assert.equal(admitted.filter(Boolean).length, 3);
    assert.equal(warnings.length, 1);
  });
});

describe('createRateCounterHandler', () => {
  test('takes over a fuller window that Redis has counted, at most for its own length', () => {
    let now = 1_000_000;
    const count = createRateCounterHandler(() => now);
    const none = { used: 0, ends: 0 };
    const question = {
      keyId: 'a',
      limit: { perMinute: 10, perHour: 1_000 },
      cached: { minute: { used: 9, ends: now + 600_000 }, hour: none },
    };
    assert.equal(count(question).admitted, true);
    assert.equal(count({ ...question, cached: { minute: none, hour: none } }).admitted, false);
    const stale = { used: 3, ends: now + 60_000 };
    assert.equal(count({ ...question, cached: { minute: stale, hour: none } }).admitted, false);
    now += 60_000;
    assert.equal(count({ ...question, cached: { minute: none, hour: none } }).admitted, true);
  });
});
