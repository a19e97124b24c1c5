import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import type { RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { createRateLimits } from './index.ts';

const logger = { warn: () => {} };
const someKey = (perMinute: number, perHour = 1_000_000, kind: 'game' | 'api' = 'game'): KeyCaller => ({
  keyId: randomUUID(),
  kind,
  tenantId: randomUUID(),
  workspaceId: randomUUID(),
  allowDataApi: true,
  rateLimit: { perMinute, perHour },
  maxMatchEventsPerRequest: 1,
  maxPlayerEventsPerRequest: 1,
  alertThresholds: { rate_spike: 60_000, payload_spike: 60_000 },
  payerId: randomUUID(),
  payerHasHardStop: false,
});

describe('createRateLimits', () => {
  test('counts synchronously without Redis, each key separately', () => {
    let now = 1_800_000_000_000;
    const limits = createRateLimits({ metrics: new Registry(), logger, now: () => now });
    const [a, b] = [someKey(2), someKey(1)];
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
    const limits = createRateLimits({ metrics, logger });
    const [game, api] = [someKey(1), someKey(9, 1, 'api')];
    for (let request = 0; request < 3; request++) void [limits.count(game), limits.count(api)];
    const shown = await metrics.metrics();
    assert.match(shown, /guildhall_rate_limited_requests_total\{kind="game",window="minute"\} 2/);
    assert.match(shown, /guildhall_rate_limited_requests_total\{kind="api",window="hour"\} 2/);
    assert.ok(!shown.includes(game.keyId) && !shown.includes(api.keyId));
  });

  test('evicts the least recently used keys, and keeps a key at its limit while it sends requests', () => {
    const limits = createRateLimits({ metrics: new Registry(), logger });
    const admitted = (key: KeyCaller) => (limits.count(key) as RateLimitVerdict).admitted;
    const [kept, quiet, other] = [someKey(1), someKey(1), someKey(10)];
    assert.ok(admitted(kept) && admitted(quiet));
    for (let count = 0; count < 300_000; count++) {
      admitted({ ...other, keyId: `key ${count}` });
      if (count % 50_000 === 0) assert.equal(admitted(kept), false);
    }
    assert.equal(admitted(kept), false);
    assert.equal(admitted(quiet), true, 'the least recently used key is evicted');
  });
});
