import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startRedisServer } from '../../../testing/redis-server.ts';
import { startTestApp, type TestApp } from '../../../testing/test-app.ts';

const redis = await startRedisServer();
const env = { REDIS_URL: redis.url };
const first = await startTestApp({ env });
const others = [
  await startTestApp({ databaseUrl: first.databaseUrl, env }),
  await startTestApp({ databaseUrl: first.databaseUrl, env }),
];
const processes = [first, ...others];

async function arrangeWatched(rateLimitPerMinute: number) {
  const tenant = await arrangeTenant(first);
  const owner = await arrangeAccount(first, tenant, 'owner');
  const path = `/api/bus_tenants/${tenant.tenantId}/alert-settings`;
  assert.equal((await first.http.patch(path, { rateLimitPerMinute }, owner)).status, 200);
  const list = async () =>
    (await first.http.get(`/api/workspaces/${tenant.workspaceId}/alerts`, owner)).body.items;
  return { tenant, list };
}
const ask = async ({ gameKey }: TestTenant, times: number, { http }: TestApp) => {
  for (let index = 0; index < times; index++)
    await http.get(`/api/game/matches/${randomUUID()}`, { gameKey });
};
/** Waits until all processes have checked their earlier counts. */
async function untilChecked(): Promise<void> {
  for (const process of processes) {
    const { tenant, list } = await arrangeWatched(1);
    await ask(tenant, 2, process);
    await eventually(async () => (await list()).length === 1);
  }
}

describe('traffic alerts of several processes', () => {
  test('use the sum of all processes, and raise one alert above the threshold', async () => {
    const { tenant, list } = await arrangeWatched(30);
    for (const process of processes) await ask(tenant, 10, process);
    await untilChecked();
    assert.deepEqual(await list(), []);
    await ask(tenant, 1, others[1]!);
    await eventually(async () => (await list()).length > 0);
    await untilChecked();
    const alerts = await list();
    assert.deepEqual(
      alerts.map(({ threshold, observed }: Record<string, number>) => [threshold, observed]),
      [[30, 31]],
    );
  });

  test('raise one alert when several processes find the same spike', async () => {
    const watched = await Promise.all(Array.from({ length: 8 }, () => arrangeWatched(2)));
    await Promise.all(watched.flatMap(({ tenant }) => processes.map((process) => ask(tenant, 6, process))));
    for (const { list } of watched) await eventually(async () => (await list()).length > 0);
    await untilChecked();
    for (const { list } of watched) assert.equal((await list()).length, 1);
  });

  test('use the counts of each process while Redis is unavailable', async () => {
    const below = await arrangeWatched(10);
    const above = await arrangeWatched(10);
    redis.pause();
    for (const process of processes) await ask(below.tenant, 6, process);
    await ask(above.tenant, 11, first);
    await eventually(async () => (await above.list()).length === 1);
    await untilChecked();
    assert.deepEqual(await below.list(), []);
    redis.resume();
    await redis.kill();
    await ask(below.tenant, 5, others[0]!);
    await eventually(async () => (await below.list()).length === 1);

    await redis.start();
    const together = await arrangeWatched(30);
    await eventually(async () => {
      for (const process of processes) await ask(together.tenant, 4, process);
      return (await together.list()).length === 1;
    });
    const [{ observed }] = await together.list();
    assert.ok(observed > 30, String(observed));
  });
});
