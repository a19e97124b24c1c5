import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { RateLimiter, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { openRedis, type Redis } from '../../../redis/redis.ts';
import { eventually } from '../../../testing/eventually.ts';
import { keyWith } from '../../../testing/key-callers.ts';
import { startRedisServer } from '../../../testing/redis-server.ts';
import { createRedisRateCounter } from './redis-rate-counter.ts';
import { createRateLimits } from './index.ts';

/** A process has its own connection, cache and log. */
interface Process {
  redis: Redis;
  limits: RateLimiter;
  log: string[];
}

const connected = ({ redis }: Process) => eventually(() => redis.status === 'ready');
const disconnected = ({ redis }: Process) => eventually(() => redis.status !== 'ready');

const server = await startRedisServer();
const [first, second, third] = [await join(), await join(), await join()];
const all = [first, second, third];

async function join({ awaited = true, url = server.url } = {}): Promise<Process> {
  const log: string[] = [];
  const write = (details: unknown, message?: string) => void log.push(message ?? String(details));
  const logger = { info: write, warn: write };
  const redis = await openRedis(url, logger);
  after(() => redis.disconnect());
  const keyless = { account: 5, network: 5 };
  const limits = createRateLimits({ redis, keyless, metrics: new Registry(), logger });
  const process = { redis, limits, log };
  if (awaited) await connected(process);
  return process;
}

/** Sends `count` requests at once, distributed over the processes. Returns the verdicts. */
const send = (processes: Process[], key: KeyCaller, count: number): Promise<RateLimitVerdict[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => processes[index % processes.length]!.limits.count(key)),
  );

/** How many of `count` requests are admitted. */
async function admitted(processes: Process[], key: KeyCaller, count: number): Promise<number> {
  return (await send(processes, key, count)).filter((verdict) => verdict.admitted).length;
}

describe('rate limits of several processes with Redis', () => {
  test('count requests without a key together, and alone while Redis is unavailable', async () => {
    const count = async (cost: number, processes = all) => {
      const caller = { kind: 'account', id: randomUUID() } as const;
      const verdicts = await Promise.all(
        Array.from({ length: 90 }, (_, index) =>
          processes[index % processes.length]!.limits.countKeyless(caller, cost),
        ),
      );
      return verdicts.filter((verdict) => verdict.admitted).length;
    };
    assert.equal(await count(1), 50);
    await server.kill();
    await Promise.all(all.map(disconnected));
    assert.equal(await count(1, [first]), 50);
    await server.start();
    await Promise.all(all.map(connected));
    assert.equal(await count(1), 50);
  });

  test('admit exactly the limit of concurrent requests', async () => {
    const byMinute = keyWith(50);
    assert.equal(await admitted(all, byMinute, 300), 50);
    const byHour = keyWith(1_000, 40);
    assert.equal(await admitted(all, byHour, 300), 40);
  });

  test('do not count a request in one window if the other refuses it', async () => {
    const key = keyWith(5, 12);
    assert.equal(await admitted(all, key, 60), 5);
    const more = { ...key, rateLimit: { perMinute: 1_000, perHour: 12 } };
    assert.equal(
      await admitted(all, more, 60),
      7,
      'the hour does not contain the 55 requests that the minute refused',
    );
    const evenMore = { ...key, rateLimit: { perMinute: 20, perHour: 1_000 } };
    assert.equal(
      await admitted(all, evenMore, 60),
      8,
      'the minute does not contain the 53 requests that the hour refused',
    );
  });

  test('report the shared count in the verdict of each process', async () => {
    const key = keyWith(4);
    const began = performance.now();
    const assertReset = (resetSeconds: number) => {
      const seconds = (performance.now() - began) / 1000;
      assert.ok(resetSeconds >= 60 - seconds && resetSeconds <= 60, `${resetSeconds} after ${seconds} s`);
    };
    for (const [index, process] of [first, second, third, first].entries()) {
      const { admitted: isIn, window, limit, remaining, resetSeconds } = (await send([process], key, 1))[0]!;
      assert.deepEqual([isIn, window, limit, remaining], [true, 'minute', 4, 3 - index]);
      assertReset(resetSeconds);
    }
    const [refused] = await send([second], key, 1);
    assert.deepEqual([refused?.admitted, refused?.remaining], [false, 0]);
    assertReset(refused!.resetSeconds);
  });

  test('admit a caller that waits for resetSeconds, at any process', async () => {
    const key = keyWith(2);
    await send(all, key, 2);
    const newcomer = await join();
    // Moves the begin of the minute 56.5 seconds into the past.
    const stored = `guildhall:requests:${key.keyId}`;
    const ends = Number(await first.redis.hget(stored, 'minuteEnds'));
    await first.redis.hset(stored, 'minuteEnds', ends - 56_500);
    const [refused] = await send([newcomer], key, 1);
    assert.equal(refused?.admitted, false);
    assert.ok(refused.resetSeconds > 0 && refused.resetSeconds <= 4, `${refused.resetSeconds}`);
    await sleep(refused.resetSeconds * 1_000);
    assert.equal(await admitted([newcomer], key, 5), 2);
  });

  test('let the Redis key expire when the hour is over', async () => {
    const key = keyWith(5);
    await send(all, key, 1);
    const lifetime = await first.redis.pttl(`guildhall:requests:${key.keyId}`);
    assert.ok(lifetime > 3_590_000 && lifetime <= 3_600_000, `${lifetime}`);
  });
});

describe('rate limits when Redis fails or loses its data', () => {
  test('continue from the cached counts while Redis is down, and log it', async () => {
    const [key, unseen] = [keyWith(10), keyWith(10)];
    assert.equal(await admitted([first], key, 9), 9);
    assert.equal(await admitted([second], key, 0), 0);
    await server.kill();
    for (const process of all) await disconnected(process);
    assert.equal(await admitted([first], key, 50), 1, 'it had cached 9 requests');
    assert.equal(await admitted([second], key, 50), 10, 'it had cached none');
    assert.equal(await admitted([third], unseen, 50), 10);
    await eventually(() =>
      all.every(({ log }) => log.some((line) => line.startsWith('Redis is unavailable'))),
    );

    await server.start();
    for (const process of all) await connected(process);
    assert.equal(await admitted([third], unseen, 1), 0);
    assert.equal(
      await admitted(all, unseen, 50),
      0,
      'the empty Redis takes over the counts of the processes',
    );
    assert.equal(await admitted([first], key, 50), 0);
    assert.equal(await admitted(all, key, 50), 0);
    for (const { log } of all)
      assert.deepEqual(
        log.slice(-2).map((line) => line.split(':', 1)[0]),
        ['Redis is unavailable', 'Redis is available again'],
      );
  });

  test('restore the fuller cached window into an empty Redis', async () => {
    const key = keyWith(20, 100);
    assert.equal(await admitted([first], key, 3), 3);
    assert.equal(await admitted([second], key, 9), 9);
    await first.redis.flushall();
    assert.equal((await send([first], key, 1))[0]?.remaining, 16, 'it had cached 3 requests');
    assert.equal((await send([second], key, 1))[0]?.remaining, 7, 'it had cached 12 requests');
    assert.equal((await send([third], key, 1))[0]?.remaining, 6);
    assert.equal(await admitted(all, key, 50), 6);
  });

  test('restore a fuller window only while it runs, and for at most its length', async () => {
    const count = createRedisRateCounter(first.redis);
    const limit = { perMinute: 100, perHour: 1_000 };
    const now = Number((await first.redis.time())[0]) * 1_000;
    const none = { used: 0, ends: 0 };
    const ask = async (keyId: string, used: number, ends: number) =>
      (await count(keyId, limit, { minute: { used, ends }, hour: none })).windows.minute;

    const key = randomUUID();
    assert.equal((await ask(key, 50, now - 1)).used, 1, 'it had ended');
    const stored = await ask(key, 0, 0);
    assert.deepEqual(await ask(key, 1, now + 30_000), { ...stored, used: 3 }, 'the stored window is fuller');
    assert.deepEqual(await ask(key, 3, stored.ends), { ...stored, used: 4 }, 'it is the stored window');
    assert.deepEqual(await ask(key, 40, now + 30_000), { used: 41, ends: now + 30_000 });
    const clockWasAhead = await ask(randomUUID(), 7, now + 3_600_000);
    assert.equal(clockWasAhead.used, 8);
    assert.ok(clockWasAhead.ends <= now + 62_000);
  });

  test('count in memory without waiting while Redis does not respond', async () => {
    const [key, unseen] = [keyWith(30), keyWith(5)];
    for (const process of [first, second]) assert.equal(await admitted([process], key, 10), 10);
    server.pause();
    try {
      const flood = await Promise.all([
        send([first], key, 100),
        send([second], key, 100),
        send([third], unseen, 100),
      ]);
      const counts = flood.map((verdicts) => verdicts.filter((verdict) => verdict.admitted).length);
      assert.deepEqual(counts, [20, 10, 5], 'they had cached 10, 20 and 0 requests');
      for (const process of all) await disconnected(process);
      // The kernel still accepts connections, so the client reconnects repeatedly. Requests must not wait for that.
      for (let request = 0; request < 20; request++) {
        assert.equal(first.limits.count(unseen) instanceof Promise, false, 'Redis gets no command');
        await sleep(50);
      }
    } finally {
      server.resume();
    }
    for (const process of all) await connected(process);
    assert.equal(await admitted([third], unseen, 50), 0);
  });

  test('count in memory after a start without Redis, and connect later', async () => {
    await server.kill();
    const late = await join({ awaited: false });
    const key = keyWith(7);
    assert.equal(await admitted([late], key, 5), 5);
    await eventually(() => late.log.some((line) => line.startsWith('Redis is unavailable')));
    assert.equal(await admitted([late], key, 1), 1);
    await server.start();
    for (const process of [...all, late]) await connected(process);
    assert.equal(await admitted([late], key, 1), 1);
    assert.equal(await admitted([first], key, 10), 0, 'Redis takes over the counts of the late process');
  });

  test('count in memory when Redis refuses commands, and log it once', async () => {
    const key = keyWith(6);
    assert.equal(await admitted(all, key, 3), 3);
    const before = first.log.length;
    await first.redis.config('SET', 'maxmemory', '1');
    const refused = await admitted([first], key, 10);
    await first.redis.config('SET', 'maxmemory', '0');
    assert.ok(refused >= 3 && refused <= 5, 'it had cached 1 to 3 of the 6');
    assert.deepEqual(first.log.slice(before), [
      'Redis does not count requests: this process counts them without it',
    ]);
    assert.equal(await admitted(all, key, 10), 0);
  });
});
