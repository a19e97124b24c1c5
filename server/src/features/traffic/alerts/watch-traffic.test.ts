import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KeyCaller } from '../../../core/callers.ts';
import type { SharedWindowSum } from './rolling-window.ts';
import type { Spike } from './queries.ts';
import { createTrafficWatch } from './watch-traffic.ts';

const LIMIT = 100;
const SUPPRESSION = 900;

/** A traffic watch with a fake clock, and the alerts that it has raised. */
function arrangeWatch({ windowSum }: { windowSum?: SharedWindowSum } = {}) {
  const clock = { ms: 1_800_000_000_000 };
  const raised: Spike[] = [];
  const database = { isUnavailable: false, hasAlert: false, warnings: 0 };
  const watch = createTrafficWatch({
    suppressionSeconds: SUPPRESSION,
    windowSum,
    logger: { warn: () => database.warnings++ },
    now: () => clock.ms,
    async raise(spike) {
      if (database.isUnavailable) throw new Error('unavailable');
      if (!database.hasAlert) raised.push(spike);
      return !database.hasAlert;
    },
  });
  const ask = (times: number, key = someKey()) => {
    for (let index = 0; index < times; index++) watch.countRequest(key);
  };
  /** Advances the clock and checks every second, as the server does. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.ms += 1000;
      await watch.check();
    }
  };
  return { watch, clock, raised, database, ask, pass };
}

const someKey = (more: Partial<KeyCaller> = {}) =>
  ({
    keyId: 'key',
    kind: 'game',
    tenantId: 'tenant',
    workspaceId: 'workspace',
    alertThresholds: { rate_spike: LIMIT, payload_spike: LIMIT },
    ...more,
  }) as KeyCaller;

describe('createTrafficWatch', () => {
  test('raises no alert at the threshold, and one alert above it', async () => {
    const { raised, ask, pass } = arrangeWatch();
    const began = Date.now();
    ask(LIMIT);
    await pass(3);
    assert.deepEqual(raised, []);
    ask(1);
    await pass(70);
    const [{ windowStart, ...alert } = { windowStart: '' }, ...others] = raised;
    assert.deepEqual(
      [alert, ...others],
      [
        {
          type: 'rate_spike',
          keyId: 'key',
          keyKind: 'game',
          tenantId: 'tenant',
          workspaceId: 'workspace',
          threshold: LIMIT,
          observed: LIMIT + 1,
        },
      ],
    );
    // It is told a second after the last request, by the system clock.
    const start = Date.parse(windowStart) + 60_000;
    assert.ok(began <= start && start <= Date.now(), windowStart);
  });

  test('adds up requests within 59 seconds, but not within 61', async () => {
    for (const offset of [0, 1, 500, 999]) {
      for (const [milliseconds, expected] of [
        [59_000, 1],
        [61_000, 0],
      ] as const) {
        const { clock, raised, watch, ask } = arrangeWatch();
        clock.ms += offset;
        ask(LIMIT);
        clock.ms += milliseconds;
        ask(1);
        await watch.check();
        assert.equal(raised.length, expected, `${milliseconds} ms from ${offset} on`);
      }
    }
  });

  test('finds a spike during a stall of the process', async () => {
    const { clock, raised, watch, ask } = arrangeWatch();
    ask(LIMIT);
    clock.ms += 59_000;
    ask(1);
    clock.ms += 30_000;
    ask(1);
    await watch.check();
    assert.equal(raised[0]?.observed, LIMIT + 1);
  });

  test('counts bytes separately from requests', async () => {
    const { raised, watch, pass } = arrangeWatch();
    watch.countBytes(someKey(), LIMIT);
    watch.countRequest(someKey());
    await pass(1);
    assert.deepEqual(raised, []);
    watch.countBytes(someKey(), 1);
    await pass(1);
    assert.deepEqual(
      raised.map(({ type, observed }) => [type, observed]),
      [['payload_spike', LIMIT + 1]],
    );
  });

  test('counts each key separately', async () => {
    const { raised, ask, pass } = arrangeWatch();
    ask(LIMIT, someKey({ keyId: 'one' }));
    ask(LIMIT, someKey({ keyId: 'other' }));
    await pass(1);
    assert.deepEqual(raised, []);
  });

  test('uses the thresholds of the latest request', async () => {
    const { raised, ask, pass } = arrangeWatch();
    ask(LIMIT + 1, someKey({ alertThresholds: { rate_spike: 1000, payload_spike: 1 } }));
    await pass(1);
    assert.deepEqual(raised, []);
    ask(1);
    await pass(1);
    assert.equal(raised.length, 1);
  });

  test('raises the next alert after the suppression time while the key stays above', async () => {
    const { raised, ask, pass } = arrangeWatch();
    for (let second = 0; second < SUPPRESSION; second++) {
      ask(10);
      await pass(1);
    }
    assert.equal(raised.length, 1);
    for (let second = 0; second < 15; second++) {
      ask(10);
      await pass(1);
    }
    assert.equal(raised.length, 2);
  });

  test('retries an alert that cannot be recorded until the window has moved on', async () => {
    const { raised, database, ask, pass } = arrangeWatch();
    database.isUnavailable = true;
    ask(LIMIT + 1);
    await pass(58);
    assert.deepEqual([raised.length, database.warnings], [0, 58]);
    database.isUnavailable = false;
    await pass(1);
    assert.equal(raised.length, 1);

    const late = arrangeWatch();
    late.database.isUnavailable = true;
    late.ask(LIMIT + 1);
    await late.pass(60);
    late.database.isUnavailable = false;
    await late.pass(60);
    assert.equal(late.raised.length, 0);
  });

  test('retries 10 seconds later when another process has raised the alert', async () => {
    const { raised, database, ask, pass } = arrangeWatch();
    database.hasAlert = true;
    ask(LIMIT + 1);
    await pass(1);
    database.hasAlert = false;
    await pass(9);
    assert.equal(raised.length, 0);
    await pass(1);
    assert.equal(raised.length, 1);
  });

  test('uses the sum of all processes if it is higher', async () => {
    const reports: unknown[] = [];
    let sum: number | undefined = LIMIT;
    const { raised, ask, pass } = arrangeWatch({
      windowSum: async (received) => {
        reports.push(...received);
        return received.map(() => (sum === undefined ? undefined : { sum, age: 1 }));
      },
    });
    ask(2);
    await pass(1);
    assert.deepEqual(reports, [{ name: 'rate_spike:key', amounts: [{ age: 1, amount: 2 }] }]);
    assert.equal(raised.length, 0);
    sum = LIMIT + 1;
    ask(1);
    await pass(1);
    assert.equal(raised[0]?.observed, LIMIT + 1);
    assert.equal(reports.length, 2, 'each count is reported once');

    const withoutRedis = arrangeWatch({ windowSum: async (received) => received.map(() => undefined) });
    withoutRedis.ask(LIMIT + 1);
    await withoutRedis.pass(1);
    assert.equal(withoutRedis.raised.length, 1, 'it uses its own counts while Redis does not respond');
  });

  test('asks for no sum of a suppressed key without new requests', async () => {
    const asked: number[] = [];
    const { raised, database, ask, pass } = arrangeWatch({
      windowSum: async (received) => {
        asked.push(received.length);
        return received.map(() => ({ sum: LIMIT + 1, age: 1 }));
      },
    });
    database.hasAlert = true;
    ask(1);
    await pass(5);
    assert.deepEqual(asked, [1, 0, 0, 0, 0]);
    database.hasAlert = false;
    await pass(6);
    assert.equal(
      raised.length,
      1,
      'another process raised the first alert, so the next try follows after 10 seconds',
    );
    ask(1);
    await pass(1);
    assert.equal(asked.at(-1), 1, 'new requests are reported');
  });

  test('counts the requests of a minute together, even if the system clock is set', async (context) => {
    const raised: Spike[] = [];
    const watch = createTrafficWatch({
      suppressionSeconds: SUPPRESSION,
      logger: { warn: () => {} },
      raise: async (spike) => (raised.push(spike), true),
    });
    const count = () => {
      for (let index = 0; index < 0.6 * LIMIT; index++) watch.countRequest(someKey());
    };
    count();
    let nowMs = 0;
    // Mocked once, because the second of two mocks would restore the first one, for all later tests of the process.
    context.mock.method(Date, 'now', () => nowMs);
    await watch.check();
    nowMs = 3_600_000;
    count();
    await watch.check();
    assert.deepEqual(
      raised.map(({ observed }) => observed),
      [1.2 * LIMIT],
    );
  });
});
