import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openRedis } from '../redis/redis.ts';
import { checkReservations, countAdmitted } from '../testing/attempt-budgets.ts';
import { eventually } from '../testing/eventually.ts';
import { startRedisServer } from '../testing/redis-server.ts';
import { createAttemptBudgets } from './attempt-budget.ts';

const server = await startRedisServer();
const options = { name: 'guesses', attempts: 10, seconds: 60, refusal: 'Enough.' };
const openProcess = async () => {
  const redis = await openRedis(server.url, { info: () => {}, warn: () => {} });
  after(() => redis.disconnect());
  await eventually(() => redis.status === 'ready');
  return { redis, open: createAttemptBudgets({ redis }) };
};
const processes = [await openProcess(), await openProcess(), await openProcess()];
const budgets = processes.map(({ open }) => open(options));

describe('createAttemptBudgets with Redis', () => {
  test('shares one budget between all processes', async () => {
    assert.equal(await countAdmitted(budgets, 'ada', 60), 10);
    assert.equal(await countAdmitted(budgets, 'bob', 5), 5);
    await budgets[0]!.giveBack('bob');
    await budgets[1]!.giveBack('bob');
    assert.equal(await countAdmitted(budgets, 'bob', 60), 7);
  });

  test('shares reserved attempts between all processes, and gives them back', async () => {
    await checkReservations(budgets, 'reserved');
  });

  test('gives nothing back to a new window', async () => {
    await Promise.all(budgets.map((budget) => budget.giveBack('nobody')));
    assert.equal(await countAdmitted(budgets, 'nobody', 60), 10);
  });

  test('counts names separately, and stores no plain key in Redis', async () => {
    const other = processes.map(({ open }) => open({ ...options, name: 'others' }));
    assert.equal(await countAdmitted(budgets, 'ada@example.com', 20), 10);
    assert.equal(await countAdmitted(other, 'ada@example.com', 20), 10);
    const keys = await processes[0]!.redis.keys('*');
    assert.ok(keys.some((key) => key.startsWith('guildhall:others:')));
    assert.ok(!keys.some((key) => key.includes('ada@example.com')));
  });

  test('counts in each process while Redis is down or hangs, and shares again afterwards', async () => {
    assert.equal(await countAdmitted(budgets, 'eve', 60), 10);
    for (const [away, back] of [
      [server.kill, server.start],
      [server.pause, server.resume],
    ] as const) {
      await away();
      try {
        const key = `eve ${away.name}`;
        for (const budget of budgets) assert.equal(await countAdmitted([budget], key, 10), 10);
        await budgets[0]!.giveBack(key);
        for (const [index, budget] of budgets.entries())
          assert.equal(await countAdmitted([budget], key, 30), index === 0 ? 1 : 0);
      } finally {
        await back();
      }
      for (const { redis } of processes) await eventually(() => redis.status === 'ready');
      assert.equal(await countAdmitted(budgets, `${away.name} is over`, 60), 10);
    }
  });
});
