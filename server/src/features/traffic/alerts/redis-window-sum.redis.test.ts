import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openRedis } from '../../../redis/redis.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startRedisServer } from '../../../testing/redis-server.ts';
import { openChannelPair } from '../../../testing/channel-pair.ts';
import { createWindowSum } from './open-alerts.ts';
import { createWindowSumHandler } from './primary-window-sum.ts';
import { createRedisWindowSum } from './redis-window-sum.ts';

const server = await startRedisServer();
const silent = { info: () => {}, warn: () => {} };
const redis = await openRedis(server.url, silent);
after(() => redis.disconnect());
const isReady = () => redis.status === 'ready';
await eventually(isReady);
const [one, other] = [createRedisWindowSum(redis), createRedisWindowSum(redis)];
let names = 0;
const someName = () => `test:${names++}`;

describe('createRedisWindowSum', () => {
  test('adds up the counts of several processes by second', async () => {
    const name = someName();
    assert.deepEqual(await one([{ name, amounts: [{ age: 1, amount: 5 }] }]), [{ sum: 5, age: 1 }]);
    assert.deepEqual(await other([{ name, amounts: [{ age: 1, amount: 7 }] }]), [{ sum: 12, age: 1 }]);
    const [asked] = await one([{ name, amounts: [] }]);
    assert.equal(asked?.sum, 12);
  });

  test('does not add up counts more than a minute apart', async () => {
    for (const [age, expected] of [
      [58, 12],
      [62, 7],
    ] as const) {
      const name = someName();
      await one([{ name, amounts: [{ age, amount: 5 }] }]);
      const [sum] = await other([{ name, amounts: [{ age: 0, amount: 7 }] }]);
      assert.equal(sum?.sum, expected, `${age} seconds`);
    }
  });

  test('returns a window that ended before its last report', async () => {
    const name = someName();
    await one([{ name, amounts: [{ age: 62, amount: 5 }] }]);
    const [late] = await other([{ name, amounts: [{ age: 4, amount: 7 }] }]);
    assert.equal(late?.sum, 12);
    assert.ok(late && late.age >= 3);
  });

  test('accepts many reports at once, and deletes old seconds', async () => {
    const reports = Array.from({ length: 350 }, (_, index) => ({
      name: `many:${index}`,
      amounts: [
        { age: 200, amount: 1 },
        { age: 0, amount: index },
      ],
    }));
    const sums = await one(reports);
    assert.deepEqual(
      sums.map((sum) => sum?.sum),
      reports.map((_, index) => index),
    );
    assert.equal(await redis.hlen('guildhall:traffic:many:7'), 1);
    assert.ok((await redis.ttl('guildhall:traffic:many:7')) > 60);
  });

  test('returns no sums while Redis does not respond or is down, and then begins at zero', async () => {
    const report = [{ name: someName(), amounts: [{ age: 0, amount: 5 }] }];
    server.pause();
    assert.deepEqual(await one(report), [undefined]);
    server.resume();
    await server.kill();
    await eventually(async () => (await one(report))[0] === undefined && !isReady());
    await server.start();
    await eventually(isReady);
    assert.deepEqual(await one(report), [{ sum: 5, age: 0 }]);
  });
});

describe('createWindowSum', () => {
  test('adds up in the primary process while Redis refuses writes or is down', async () => {
    const handlers = { 'sum-windows': createWindowSumHandler() };
    const sum = createWindowSum({ redis, primary: openChannelPair(handlers).primary })!;
    const [name, unknown] = [someName(), someName()];
    const report = (amount: number) => ({ name, amounts: [{ age: 0, amount }] });
    assert.deepEqual(await sum([report(5)]), [{ sum: 5, age: 0 }]);
    await redis.config('SET', 'maxmemory', '1');
    assert.deepEqual(await sum([{ name: unknown, amounts: [] }, report(7)]), [
      { sum: 0, age: 0 },
      { sum: 7, age: 0 },
    ]);
    await redis.config('SET', 'maxmemory', '0');
    await server.kill();
    await eventually(() => !isReady());
    const [withoutRedis] = await sum([report(2)]);
    assert.equal(withoutRedis?.sum, 9);
    await server.start();
    await eventually(isReady);
    assert.deepEqual(await sum([report(1)]), [{ sum: 1, age: 0 }]);
  });
});
