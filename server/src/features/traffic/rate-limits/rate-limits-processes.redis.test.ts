import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { dataFolder, startServer, type ServerProcess } from '../../../../acceptance/server-process.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { cloneTestDatabase } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { httpClient, type HttpClient } from '../../../testing/http-client.ts';
import { startRedisServer } from '../../../testing/redis-server.ts';
import { TEST_MASTER_KEY } from '../../../testing/test-vault.ts';

/** Three server processes share one database and one Redis. */
const redis = await startRedisServer();
const database = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: database.url, max: 2 });
const env = {
  DATABASE_URL: database.url,
  REDIS_URL: redis.url,
  MASTER_KEY: TEST_MASTER_KEY,
  PUBLIC_URL: 'http://guildhall.test',
};
const folders = [dataFolder(), dataFolder(), dataFolder()];
const servers = await Promise.all(folders.map(({ path }) => startServer({ dataDir: path, env })));
const clients = servers.map(({ url }) => httpClient(url));
after(async () => {
  await Promise.all(servers.map((server) => server.end('SIGTERM')));
  await owner.end();
  await database.drop();
  for (const folder of folders) folder.remove();
});

async function arrangeKey(limits: { perMinute: number; perHour?: number }): Promise<string> {
  const { tenantId, gameKey } = await arrangeTenant({ owner });
  await owner.query(
    'UPDATE tenant_keys SET requests_per_minute = $2, requests_per_hour = $3 WHERE tenant_id = $1',
    [tenantId, limits.perMinute, limits.perHour],
  );
  return gameKey;
}

/** Sends `count` requests at once to each server. Returns how many each admits. Fails on any status but 404 and 429. */
async function flood(gameKey: string, count: number, among: HttpClient[] = clients): Promise<number[]> {
  return Promise.all(
    among.map(async (http) => {
      const body = { provider: 'Mock', providerUserId: 'nobody' };
      const statuses = await Promise.all(
        Array.from({ length: count }, async () => {
          const { status, headers } = await http.post('/api/player-auth/players/exists', body, { gameKey });
          assert.ok(headers.has('ratelimit-remaining') && headers.has('retry-after') === (status === 429));
          return status;
        }),
      );
      assert.deepEqual(
        [...new Set(statuses)].filter((status) => status !== 404 && status !== 429),
        [],
      );
      return statuses.filter((status) => status === 404).length;
    }),
  );
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
const isUp = async (server: ServerProcess, up: boolean) =>
  (await (await fetch(`${server.url}/metrics`)).text()).includes(`guildhall_redis_up ${up ? 1 : 0}\n`);
const untilAll = async (up: boolean) => {
  for (const server of servers) await eventually(() => isUp(server, up));
};

describe('rate limits of three server processes', () => {
  test('admit exactly the limit of concurrent requests', async () => {
    await untilAll(true);
    for (const limits of [{ perMinute: 100 }, { perMinute: 1_000, perHour: 100 }]) {
      const key = await arrangeKey(limits);
      const counts = await flood(key, 100);
      assert.equal(sum(counts), 100, `${counts}`);
      assert.equal(sum(await flood(key, 5)), 0);
    }
  });

  test('hold in each process when Redis is killed under load, and are shared again afterwards', async () => {
    const key = await arrangeKey({ perMinute: 100 });
    assert.equal(sum(await flood(key, 10)), 30);
    const during = flood(key, 150);
    await redis.kill();
    const counts = await during;
    await untilAll(false);
    const afterwards = await flood(key, 100);
    for (const [index, count] of counts.entries()) {
      const more = count + afterwards[index]!;
      assert.ok(more <= 100 - 10, `a process that had admitted 10 requests admitted ${more} more`);
    }
    assert.ok(sum(counts) >= 70);

    await redis.start();
    await untilAll(true);
    for (const client of clients) assert.deepEqual(await flood(key, 1, [client]), [0]);
    assert.equal(sum(await flood(key, 20)), 0);
    assert.equal(sum(await flood(await arrangeKey({ perMinute: 50 }), 50)), 50);
  });

  test('continue from the cached counts while Redis does not respond, and the server stays ready', async () => {
    const key = await arrangeKey({ perMinute: 60 });
    for (const client of clients) assert.deepEqual(await flood(key, 10, [client]), [10]);
    redis.pause();
    try {
      assert.deepEqual(await flood(key, 100), [50, 40, 30], 'they had cached 10, 20 and 30 requests');
      await untilAll(false);
      assert.deepEqual(await flood(key, 100), [0, 0, 0]);
      for (const { url } of servers) assert.equal((await fetch(`${url}/health/ready`)).status, 200);
    } finally {
      redis.resume();
    }
    await untilAll(true);
    assert.equal(sum(await flood(key, 20)), 0);
    assert.equal(sum(await flood(await arrangeKey({ perMinute: 50 }), 50)), 50);
  });

  test('hold in a server that starts without Redis, and are shared when Redis is available again', async () => {
    await redis.kill();
    const folder = dataFolder();
    const late = await startServer({ dataDir: folder.path, env: { ...env, LOG_LEVEL: 'info' } });
    try {
      const key = await arrangeKey({ perMinute: 20 });
      const client = httpClient(late.url);
      assert.deepEqual(await flood(key, 50, [client]), [20]);
      await eventually(() => late.output().includes('Redis is unavailable'));
      await redis.start();
      await eventually(() => isUp(late, true));
      await untilAll(true);
      assert.deepEqual(await flood(key, 1, [client]), [0]);
      assert.equal(sum(await flood(key, 20)), 0);
      assert.ok(late.output().includes('Redis is available again'));
    } finally {
      assert.equal(await late.end('SIGTERM'), 0);
      folder.remove();
    }
  });
});
