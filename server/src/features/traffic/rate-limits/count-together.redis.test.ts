import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { Registry } from 'prom-client';
import type { RateLimiter, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { openRedis, type Redis } from '../../../redis/redis.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startRedisServer } from '../../../testing/redis-server.ts';
import { createRedisRateCounter } from './redis-rate-counter.ts';
import { createRateLimits } from './index.ts';

/** What a process has of its own: a connection, what it remembers, its log. */
interface Process {
  redis: Redis;
  limits: RateLimiter;
  log: string[];
}

const together = ({ redis }: Process) => eventually(() => redis.status === 'ready');
const apart = ({ redis }: Process) => eventually(() => redis.status !== 'ready');

const server = await startRedisServer();
const [first, second, third] = [await join(), await join(), await join()];
const all = [first, second, third];

async function join({ awaited = true, url = server.url } = {}): Promise<Process> {
  const log: string[] = [];
  const write = (details: unknown, message?: string) => void log.push(message ?? String(details));
  const logger = { info: write, warn: write };
  const redis = openRedis(url, logger);
  after(() => redis.disconnect());
  const process = { redis, limits: createRateLimits({ redis, metrics: new Registry(), logger }), log };
  if (awaited) await together(process);
  return process;
}

const keyWith = (perMinute: number, perHour = 1_000_000): KeyCaller => ({
  keyId: randomUUID(),
  kind: 'game',
  tenantId: randomUUID(),
  workspaceId: randomUUID(),
  allowDataApi: false,
  rateLimit: { perMinute, perHour },
  maxMatchEventsPerRequest: 1,
  maxPlayerEventsPerRequest: 1,
  alertThresholds: { rate_spike: 60_000, payload_spike: 60_000 },
  payerId: randomUUID(),
  payerHasHardStop: false,
});

/** Sends so many requests at once, to one process after the other; the verdicts. */
const send = (processes: Process[], key: KeyCaller, count: number): Promise<RateLimitVerdict[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => processes[index % processes.length]!.limits.count(key)),
  );

/** How many of so many are let in. */
async function admitted(processes: Process[], key: KeyCaller, count: number): Promise<number> {
  return (await send(processes, key, count)).filter((verdict) => verdict.admitted).length;
}

test('of many requests at once to several processes as many are let in as the limit says', async () => {
  const byMinute = keyWith(50);
  assert.equal(await admitted(all, byMinute, 300), 50);
  const byHour = keyWith(1_000, 40);
  assert.equal(await admitted(all, byHour, 300), 40);
});

test('a request that one window refuses is not counted in the other', async () => {
  const key = keyWith(5, 12);
  assert.equal(await admitted(all, key, 60), 5);
  const more = { ...key, rateLimit: { perMinute: 1_000, perHour: 12 } };
  assert.equal(await admitted(all, more, 60), 7, 'the 55 that the minute refused are not in the hour');
  const evenMore = { ...key, rateLimit: { perMinute: 20, perHour: 1_000 } };
  assert.equal(await admitted(all, evenMore, 60), 8, 'the 53 that the hour refused are not in the minute');
});

test('every process tells how the key stands in all of them', async () => {
  const key = keyWith(4);
  for (const [index, process] of [first, second, third, first].entries()) {
    const { admitted: isIn, window, limit, remaining, resetSeconds } = (await send([process], key, 1))[0]!;
    assert.deepEqual([isIn, window, limit, remaining, resetSeconds], [true, 'minute', 4, 3 - index, 60]);
  }
  const [refused] = await send([second], key, 1);
  assert.deepEqual([refused?.admitted, refused?.remaining], [false, 0]);
  assert.ok(refused!.resetSeconds >= 55 && refused!.resetSeconds <= 60);
});

test('who waits as told is let in, by any process', async () => {
  const key = keyWith(2);
  await send(all, key, 2);
  // As though the minute had begun 58.5 seconds ago.
  const stored = `guildhall:requests:${key.keyId}`;
  const ends = Number(await first.redis.hget(stored, 'minuteEnds'));
  await first.redis.hset(stored, 'minuteEnds', ends - 58_500);
  const stranger = await join();
  const [refused] = await send([stranger], key, 1);
  assert.deepEqual([refused?.admitted, refused?.resetSeconds], [false, 2]);
  await new Promise((resolve) => setTimeout(resolve, refused!.resetSeconds * 1_000));
  assert.equal(await admitted([stranger], key, 5), 2);
});

test('what Redis keeps is gone when the hour is over', async () => {
  const key = keyWith(5);
  await send(all, key, 1);
  const lifetime = await first.redis.pttl(`guildhall:requests:${key.keyId}`);
  assert.ok(lifetime > 3_590_000 && lifetime <= 3_600_000, `${lifetime}`);
});

test('a process goes on from what it last knew while Redis is killed, and says so', async () => {
  const [key, unseen] = [keyWith(10), keyWith(10)];
  assert.equal(await admitted([first], key, 9), 9);
  assert.equal(await admitted([second], key, 0), 0);
  await server.kill();
  for (const process of all) await apart(process);
  assert.equal(await admitted([first], key, 50), 1, 'it knew of 9');
  assert.equal(await admitted([second], key, 50), 10, 'it knew of none');
  assert.equal(await admitted([third], unseen, 50), 10);
  await eventually(() => all.every(({ log }) => log.some((line) => line.startsWith('Redis is unavailable'))));

  await server.start();
  for (const process of all) await together(process);
  assert.equal(await admitted([third], unseen, 1), 0);
  assert.equal(await admitted(all, unseen, 50), 0, 'the empty one learns of what was counted meanwhile');
  assert.equal(await admitted([first], key, 50), 0);
  assert.equal(await admitted(all, key, 50), 0);
  for (const { log } of all)
    assert.deepEqual(
      log.slice(-2).map((line) => line.split(':', 1)[0]),
      ['Redis is unavailable', 'Redis is available again'],
    );
});

test('an empty Redis takes over the fuller of what its processes knew', async () => {
  const key = keyWith(20, 100);
  assert.equal(await admitted([first], key, 3), 3);
  assert.equal(await admitted([second], key, 9), 9);
  await first.redis.flushall();
  assert.equal((await send([first], key, 1))[0]?.remaining, 16, 'it knew of 3');
  assert.equal((await send([second], key, 1))[0]?.remaining, 7, 'it knew of 12');
  assert.equal((await send([third], key, 1))[0]?.remaining, 6);
  assert.equal(await admitted(all, key, 50), 6);
});

test('a fuller window is taken over while it runs, and for no longer than its length', async () => {
  const count = createRedisRateCounter(first.redis);
  const limit = { perMinute: 100, perHour: 1_000 };
  const now = Number((await first.redis.time())[0]) * 1_000;
  const none = { used: 0, ends: 0 };
  const ask = async (keyId: string, used: number, ends: number) =>
    (await count(keyId, limit, { minute: { used, ends }, hour: none })).windows.minute;

  const key = randomUUID();
  assert.equal((await ask(key, 50, now - 1)).used, 1, 'it had ended');
  const stored = await ask(key, 0, 0);
  assert.deepEqual(await ask(key, 1, now + 30_000), { ...stored, used: 3 }, 'the stored one is fuller');
  assert.deepEqual(await ask(key, 3, stored.ends), { ...stored, used: 4 }, 'it is the stored one');
  assert.deepEqual(await ask(key, 40, now + 30_000), { used: 41, ends: now + 30_000 });
  const clockWasAhead = await ask(randomUUID(), 7, now + 3_600_000);
  assert.equal(clockWasAhead.used, 8);
  assert.ok(clockWasAhead.ends <= now + 62_000);
});

test('while Redis hangs nobody waits for long, and each process keeps to what it knew', async () => {
  const [key, unseen] = [keyWith(30), keyWith(5)];
  for (const process of [first, second]) assert.equal(await admitted([process], key, 10), 10);
  server.pause();
  try {
    const since = performance.now();
    const flood = await Promise.all([
      send([first], key, 100),
      send([second], key, 100),
      send([third], unseen, 100),
    ]);
    assert.ok(performance.now() - since < 2_000);
    const counts = flood.map((verdicts) => verdicts.filter((verdict) => verdict.admitted).length);
    assert.deepEqual(counts, [20, 10, 5], 'they knew of 10, of 20 and of none');
    for (const process of all) await apart(process);
    // Connections are taken up by the kernel, so that one is made again and again; requests need not notice.
    for (let request = 0; request < 20; request++) {
      assert.equal(first.limits.count(unseen) instanceof Promise, false, 'it is not asked');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    server.resume();
  }
  for (const process of all) await together(process);
  assert.equal(await admitted([third], unseen, 50), 0);
});

test('a process that starts without Redis counts by itself, says so, and joins when it comes', async () => {
  await server.kill();
  const late = await join({ awaited: false });
  const key = keyWith(7);
  assert.equal(await admitted([late], key, 5), 5);
  await eventually(() => late.log.some((line) => line.startsWith('Redis is unavailable')));
  assert.equal(await admitted([late], key, 1), 1);
  await server.start();
  for (const process of [...all, late]) await together(process);
  assert.equal(await admitted([late], key, 1), 1);
  assert.equal(await admitted([first], key, 10), 0, 'what it counted alone is counted');
});

test('a Redis that refuses is done without, and told of once', async () => {
  const key = keyWith(6);
  assert.equal(await admitted(all, key, 3), 3);
  const before = first.log.length;
  await first.redis.config('SET', 'maxmemory', '1');
  const refused = await admitted([first], key, 10);
  await first.redis.config('SET', 'maxmemory', '0');
  assert.ok(refused >= 3 && refused <= 5, 'at most what it did not know of');
  assert.deepEqual(first.log.slice(before), ['Redis does not count: this process does so by itself']);
  assert.equal(await admitted(all, key, 10), 0);
});
