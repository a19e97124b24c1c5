import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openRedis } from '../redis/redis.ts';
import type { Problem } from '../shared/problem.ts';
import { eventually } from '../testing/eventually.ts';
import { startRedisServer } from '../testing/redis-server.ts';
import { attemptBudgets, networkOf, type AttemptBudget } from './attempt-budget.ts';

const server = await startRedisServer();
const options = { name: 'guesses', attempts: 10, seconds: 60, refusal: 'Enough.' };
const openProcess = async () => {
  const redis = openRedis(server.url, { info: () => {}, warn: () => {} });
  after(() => redis.disconnect());
  await eventually(() => redis.status === 'ready');
  return { redis, open: attemptBudgets(redis) };
};
const processes = [await openProcess(), await openProcess(), await openProcess()];
const budgets = processes.map(({ open }) => open(options));

/** How many of so many attempts at once, made at one budget after the other, are let through. */
async function spent(among: AttemptBudget[], key: string, attempts: number): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: attempts }, (_, index) => among[index % among.length]!.spend(key)),
  );
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    const { code, details } = result.reason as Problem;
    assert.deepEqual([code, details.detail], ['too_many_attempts', 'Enough.']);
    const seconds = Number(details.headers?.['retry-after']);
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

test('all processes spend one budget, and give back to it', async () => {
  assert.equal(await spent(budgets, 'ada', 60), 10);
  assert.equal(await spent(budgets, 'bob', 5), 5);
  await budgets[0]!.giveBack('bob');
  await budgets[1]!.giveBack('bob');
  assert.equal(await spent(budgets, 'bob', 60), 7);
});

test('budgets of different names have nothing to do with each other, and no key lies about in Redis', async () => {
  const other = processes.map(({ open }) => open({ ...options, name: 'others' }));
  assert.equal(await spent(budgets, 'ada@example.com', 20), 10);
  assert.equal(await spent(other, 'ada@example.com', 20), 10);
  const keys = await processes[0]!.redis.keys('*');
  assert.ok(keys.some((key) => key.startsWith('guildhall:others:')));
  assert.ok(!keys.some((key) => key.includes('ada@example.com')));
});

test('while Redis is killed, or hangs, each process has a budget of its own, and nobody waits for long', async () => {
  assert.equal(await spent(budgets, 'eve', 60), 10);
  for (const [away, back] of [
    [server.kill, server.start],
    [server.pause, server.resume],
  ] as const) {
    await away();
    try {
      const since = performance.now();
      const key = `eve ${away.name}`;
      for (const budget of budgets) assert.equal(await spent([budget], key, 10), 10);
      await budgets[0]!.giveBack(key);
      for (const [index, budget] of budgets.entries())
        assert.equal(await spent([budget], key, 30), index === 0 ? 1 : 0);
      assert.ok(performance.now() - since < 5_000);
    } finally {
      await back();
    }
    for (const { redis } of processes) await eventually(() => redis.status === 'ready');
    assert.equal(await spent(budgets, `${away.name} is over`, 60), 10);
  }
});

test('without Redis a process has its own', async () => {
  const [one, two] = [attemptBudgets()(options), attemptBudgets()(options)];
  assert.equal(await spent([one], 'ada', 30), 10);
  assert.equal(await spent([two], 'ada', 30), 10);
});

test('a network is an IPv4 address, or the /64 of an IPv6 one', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0');
  assert.equal(networkOf(null), 'unknown');
});
