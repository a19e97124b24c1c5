import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyCaller } from '../../../core/callers.ts';
import type { RedisWindowSum } from './redis-window-sum.ts';
import type { Spike } from './alert.ts';
import { watchTraffic } from './watch-traffic.ts';

const LIMIT = 100;
const SUPPRESSION = 900;

/** A watch on a clock of its own, with what it has raised. */
function arrangeWatch({ windowSum }: { windowSum?: RedisWindowSum } = {}) {
  const clock = { ms: 1_800_000_000_000 };
  const raised: Spike[] = [];
  const world = { isAway: false, isTaken: false, warnings: 0 };
  const watch = watchTraffic({
    suppressionSeconds: SUPPRESSION,
    windowSum,
    logger: { warn: () => world.warnings++ },
    now: () => clock.ms,
    async raise(spike) {
      if (world.isAway) throw new Error('away');
      if (!world.isTaken) raised.push(spike);
      return !world.isTaken;
    },
  });
  const ask = (times: number, key = someKey()) => {
    for (let index = 0; index < times; index++) watch.countRequest(key);
  };
  /** Lets time pass, judging every second as the server does. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.ms += 1000;
      await watch.judge();
    }
  };
  return { watch, clock, raised, world, ask, pass };
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

test('as many as the threshold within a minute raise nothing, one more raises one alert', async () => {
  const { clock, raised, ask, pass } = arrangeWatch();
  const began = clock.ms;
  ask(LIMIT);
  await pass(3);
  assert.deepEqual(raised, []);
  ask(1);
  await pass(70);
  assert.deepEqual(raised, [
    {
      type: 'rate_spike',
      keyId: 'key',
      keyKind: 'game',
      tenantId: 'tenant',
      workspaceId: 'workspace',
      threshold: LIMIT,
      observed: LIMIT + 1,
      windowStart: new Date(began - 56_000).toISOString(),
    },
  ]);
});

test('spread over 59 seconds they count together, over 61 they do not', async () => {
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
      await watch.judge();
      assert.equal(raised.length, expected, `${milliseconds} ms from ${offset} on`);
    }
  }
});

test('a spike is found also where the process stood still meanwhile', async () => {
  const { clock, raised, watch, ask } = arrangeWatch();
  ask(LIMIT);
  clock.ms += 59_000;
  ask(1);
  clock.ms += 30_000;
  ask(1);
  await watch.judge();
  assert.equal(raised[0]?.observed, LIMIT + 1);
});

test('bytes are counted by themselves', async () => {
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

test('keys are counted each by itself', async () => {
  const { raised, ask, pass } = arrangeWatch();
  ask(LIMIT, someKey({ keyId: 'one' }));
  ask(LIMIT, someKey({ keyId: 'other' }));
  await pass(1);
  assert.deepEqual(raised, []);
});

test('the thresholds that hold are those of the latest request', async () => {
  const { raised, ask, pass } = arrangeWatch();
  ask(LIMIT + 1, someKey({ alertThresholds: { rate_spike: 1000, payload_spike: 1 } }));
  await pass(1);
  assert.deepEqual(raised, []);
  ask(1);
  await pass(1);
  assert.equal(raised.length, 1);
});

test('a key that stays above raises the next alert when the last one is old enough', async () => {
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

test('an alert that cannot be recorded is tried again as long as the window holds', async () => {
  const { raised, world, ask, pass } = arrangeWatch();
  world.isAway = true;
  ask(LIMIT + 1);
  await pass(58);
  assert.deepEqual([raised.length, world.warnings], [0, 58]);
  world.isAway = false;
  await pass(1);
  assert.equal(raised.length, 1);

  const late = arrangeWatch();
  late.world.isAway = true;
  late.ask(LIMIT + 1);
  await late.pass(60);
  late.world.isAway = false;
  await late.pass(60);
  assert.equal(late.raised.length, 0);
});

test('where another process was faster it asks again some seconds later', async () => {
  const { raised, world, ask, pass } = arrangeWatch();
  world.isTaken = true;
  ask(LIMIT + 1);
  await pass(1);
  world.isTaken = false;
  await pass(9);
  assert.equal(raised.length, 0);
  await pass(1);
  assert.equal(raised.length, 1);
});

test('what all processes have counted together decides, where it is more', async () => {
  const reports: unknown[] = [];
  let sum: number | undefined = LIMIT;
  const { raised, ask, pass } = arrangeWatch({
    windowSum: async (told) => {
      reports.push(...told);
      return told.map(() => (sum === undefined ? undefined : { sum, age: 1 }));
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
  assert.equal(reports.length, 2, 'each was told once');

  const away = arrangeWatch({ windowSum: async (told) => told.map(() => undefined) });
  away.ask(LIMIT + 1);
  await away.pass(1);
  assert.equal(away.raised.length, 1, 'it judges by its own while nobody answers');
});
