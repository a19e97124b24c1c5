import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import type { KeylessCaller, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { keyWith } from '../../../testing/key-callers.ts';
import { createRateLimits } from './index.ts';

const logger = { warn: () => {} };
const keyless = { account: 5, network: 5 };

describe('createRateLimits', () => {
  test('counts synchronously without Redis, each key separately', () => {
    let now = 1_800_000_000_000;
    const limits = createRateLimits({ keyless, metrics: new Registry(), logger, now: () => now });
    const [a, b] = [keyWith(2), keyWith(1)];
    const admitted = (key: KeyCaller) => (limits.count(key) as RateLimitVerdict).admitted;
    assert.deepEqual(
      [admitted(a), admitted(a), admitted(a), admitted(b), admitted(b)],
      [true, true, false, true, false],
    );
    now += 60_000;
    assert.deepEqual([admitted(a), admitted(b)], [true, true]);
  });

  test('labels the metric of refusals with kind and window, not with the key', async () => {
    const metrics = new Registry();
    const limits = createRateLimits({ keyless, metrics, logger });
    const [game, api] = [keyWith(1), keyWith(9, 1, 'api')];
    for (let request = 0; request < 3; request++) void [limits.count(game), limits.count(api)];
    const shown = await metrics.metrics();
    assert.match(shown, /guildhall_rate_limited_requests_total\{kind="game",window="minute"\} 2/);
    assert.match(shown, /guildhall_rate_limited_requests_total\{kind="api",window="hour"\} 2/);
    assert.ok(!shown.includes(game.keyId) && !shown.includes(api.keyId));
  });

  test('counts requests without a key by kind and caller, and an expensive one several times', async () => {
    const metrics = new Registry();
    const limits = createRateLimits({ keyless: { account: 5, network: 10 }, metrics, logger });
    const send = async (kind: KeylessCaller['kind'], id: string, cost = 1) => {
      const { admitted, limit, remaining, resetSeconds, window } = await limits.countKeyless(
        { kind, id },
        cost,
      );
      assert.ok(resetSeconds >= 1 && resetSeconds <= 10);
      return [admitted, limit, remaining, window];
    };
    const window = '10 seconds';
    assert.deepEqual(await send('account', 'a'), [true, 50, 49, window]);
    assert.deepEqual(await send('account', 'a', 30), [true, 50, 19, window]);
    assert.deepEqual(
      await send('account', 'a', 30),
      [false, 50, 19, window],
      'a refused request is not counted',
    );
    assert.deepEqual(await send('account', 'a', 19), [true, 50, 0, window]);
    assert.deepEqual(await send('account', 'a'), [false, 50, 0, window]);
    for (const kind of ['account', 'player'] as const)
      assert.deepEqual(await send(kind, 'b'), [true, 50, 49, window]);
    assert.deepEqual(await send('network', 'a'), [true, 100, 99, window]);
    assert.match(
      await metrics.metrics(),
      /guildhall_rate_limited_requests_total\{kind="account",window="10 seconds"\} 2/,
    );
  });

  test('evicts the least recently used keys, and keeps a key at its limit while it sends requests', () => {
    const limits = createRateLimits({ keyless, metrics: new Registry(), logger });
    const admitted = (key: KeyCaller) => (limits.count(key) as RateLimitVerdict).admitted;
    const [kept, quiet, other] = [keyWith(1), keyWith(1), keyWith(10)];
    assert.ok(admitted(kept) && admitted(quiet));
    for (let count = 0; count < 300_000; count++) {
      admitted({ ...other, keyId: `key ${count}` });
      if (count % 50_000 === 0) assert.equal(admitted(kept), false);
    }
    assert.equal(admitted(kept), false);
    assert.equal(admitted(quiet), true, 'the least recently used key is evicted');
  });
});
