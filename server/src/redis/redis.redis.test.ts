import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { freePort } from '../../acceptance/free-port.ts';
import { eventually } from '../testing/eventually.ts';
import { startRedisServer } from '../testing/redis-server.ts';
import { isRedisReady, measureRedis, openRedis, requireWritable } from './redis.ts';

const server = await startRedisServer();
const silent = { info: () => {}, warn: () => {} };
const [redis, operator] = [await openRedis(server.url, silent), await openRedis(server.url, silent)];
const registry = new Registry();
measureRedis(redis, registry);
after(() => [redis, operator].forEach((connection) => connection.disconnect()));
const isUp = async () => (await registry.metrics()).includes('guildhall_redis_up 1\n');
await eventually(isUp);
await eventually(() => operator.status === 'ready');

test('a Redis that answers ever later delays no command by more than a second', async () => {
  let lagMs = 0;
  const target = new URL(server.url);
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    upstream.on('error', () => {}).on('data', (bytes) => void setTimeout(() => client.write(bytes), lagMs));
    client.on('error', () => {}).on('close', () => upstream.destroy());
    client.on('data', (bytes) => upstream.write(bytes));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const lagging = await openRedis(`redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`, silent);
  try {
    await eventually(() => lagging.status === 'ready');
    const waits: number[] = [];
    const pending: Promise<void>[] = [];
    while (lagMs < 3_000 && isRedisReady(lagging)) {
      const began = performance.now();
      const wait = (): void => void waits.push(performance.now() - began);
      pending.push(lagging.ping().then(wait, wait));
      await sleep(20);
      lagMs += 20;
    }
    assert.ok(lagMs < 3_000, 'Redis counts as unavailable');
    await Promise.all(pending);
    assert.ok(Math.max(...waits) < 1_000, String(Math.max(...waits)));
    lagMs = 0;
    await eventually(() => lagging.status === 'ready');
    assert.equal(await lagging.ping(), 'PONG');
  } finally {
    lagging.disconnect();
    proxy.close();
  }
});

test('a process that was busy for longer than the timeout keeps its connection', async () => {
  const connection = await operator.client('ID');
  const ping = operator.ping();
  const end = performance.now() + 1_000;
  while (performance.now() < end);
  assert.equal(await ping, 'PONG');
  assert.equal(await operator.client('ID'), connection);
});

describe('a Redis that refuses writes', () => {
  test('is not up while its memory is full', async () => {
    await operator.config('SET', 'maxmemory', '1');
    assert.equal(await isUp(), false);
    await operator.config('SET', 'maxmemory', '0');
    assert.equal(await isUp(), true);
  });

  test('is not up while it is a replica, and is reconnected, because another server may have its address', async () => {
    const connection = await redis.client('ID');
    await operator.replicaof('127.0.0.1', 1);
    assert.equal(await isUp(), false);
    await operator.replicaof('NO', 'ONE');
    await eventually(isUp);
    assert.notEqual(await redis.client('ID'), connection);
  });
});

test('a Redis Cluster is not used, and not up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-redis-'));
  after(() => rm(folder, { recursive: true }));
  // The default port of the cluster bus is the server's plus 10,000, which another program may use.
  const busPort = String(await freePort());
  const cluster = await startRedisServer(
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    busPort,
    '--dir',
    folder,
  );
  const warnings: string[] = [];
  const connection = await openRedis(cluster.url, {
    info: () => {},
    warn: (_, message) => void warnings.push(message),
  });
  await eventually(() => connection.status === 'end');
  assert.match(warnings.join(), /A Redis Cluster is not supported/);
  await assert.rejects(requireWritable(connection));
});

test('a Redis that lacks the database of the URL is not used, and neither is its database 0', async () => {
  const warnings: string[] = [];
  const connection = await openRedis(`${server.url}/99`, {
    info: (_, message) => void warnings.push(message),
    warn: (_, message) => void warnings.push(message),
  });
  await eventually(() => connection.status === 'end');
  assert.match(warnings.join(), /^Redis does not have the database that REDIS_URL names[^,]*$/);
  await assert.rejects(requireWritable(connection));
});
