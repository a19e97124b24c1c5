import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { eventually } from '../testing/eventually.ts';
import { startRedisServer } from '../testing/redis-server.ts';
import { measureRedis, openRedis } from './redis.ts';

const server = await startRedisServer();
const silent = { info: () => {}, warn: () => {} };
const [redis, operator] = [await openRedis(server.url, silent), await openRedis(server.url, silent)];
const registry = new Registry();
measureRedis(redis, registry);
after(() => [redis, operator].forEach((connection) => connection.disconnect()));
const isUp = async () => (await registry.metrics()).includes('guildhall_redis_up 1\n');
await eventually(isUp);
await eventually(() => operator.status === 'ready');

describe('a Redis that refuses writes', () => {
  test('is not up while its memory is full', async () => {
    await operator.config('SET', 'maxmemory', '1');
    assert.equal(await isUp(), false);
    await operator.config('SET', 'maxmemory', '0');
    assert.equal(await isUp(), true);
  });

  test('is not up while it is a replica, and is connected again, because another server may have its address', async () => {
    const connection = await redis.client('ID');
    await operator.replicaof('127.0.0.1', 1);
    assert.equal(await isUp(), false);
    await operator.replicaof('NO', 'ONE');
    await eventually(isUp);
    assert.notEqual(await redis.client('ID'), connection);
  });
});
