import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChannelPair } from '../testing/channel-pair.ts';
import { checkReservations, countAdmitted } from '../testing/attempt-budgets.ts';
import { createAttemptBudgets } from './attempt-budget.ts';
import { MAX_COUNTERS } from './memory-limiter.ts';
import { createLimiterHandler } from './primary-limiter.ts';

const options = { name: 'guesses', attempts: 10, seconds: 60, refusal: 'Enough.' };

describe('createAttemptBudgets', () => {
  test('counts in each process without Redis', async () => {
    const [one, two] = [createAttemptBudgets()(options), createAttemptBudgets()(options)];
    assert.equal(await countAdmitted([one], 'ada', 30), 10);
    assert.equal(await countAdmitted([two], 'ada', 30), 10);
  });

  test('gives reserved attempts back, and counts them when they fail', async () => {
    await checkReservations([createAttemptBudgets()(options)], 'ada');
  });

  test('shares reserved attempts between the processes of a server', async () => {
    const handlers = { limit: createLimiterHandler() };
    const processes = Array.from({ length: 3 }, () =>
      createAttemptBudgets({ primary: openChannelPair(handlers).primary })(options),
    );
    await checkReservations(processes, 'ada');
  });

  test('does not give an attempt back to the next window', async () => {
    const budget = createAttemptBudgets()({ ...options, seconds: 1 });
    const reserved = await budget.reserve('ada');
    await sleep(1100);
    assert.equal(await countAdmitted([budget], 'ada', 10), 10);
    await reserved.giveBack();
    assert.equal(await countAdmitted([budget], 'ada', 10), 0);
  });

  test('opens the window again after its end, and gives nothing back to an unknown key', async () => {
    const budget = createAttemptBudgets()({ ...options, seconds: 1 });
    assert.equal(await countAdmitted([budget], 'ada', 30), 10);
    await budget.giveBack('ada');
    assert.equal(await countAdmitted([budget], 'ada', 5), 1, 'refused attempts do not count');
    await sleep(1100);
    await budget.giveBack('ada');
    assert.equal(await countAdmitted([budget], 'ada', 30), 10);
  });

  test('limits its memory, and evicts no counter that is half used for new keys', async () => {
    const budget = createAttemptBudgets()(options);
    assert.equal(await countAdmitted([budget], 'few', 4), 4);
    assert.equal(await countAdmitted([budget], 'half', 5), 5);
    assert.equal(await countAdmitted([budget], 'all', 10), 10);
    for (let key = 0; key < MAX_COUNTERS; key++) await budget.spend(`other ${key}`);
    assert.equal(await countAdmitted([budget], 'few', 30), 10, 'evicted');
    assert.equal(await countAdmitted([budget], 'half', 30), 5);
    assert.equal(await countAdmitted([budget], 'all', 30), 0);
  });

  test('limits the memory for half used counters, and evicts no new key for them', async () => {
    const budget = createAttemptBudgets()({ ...options, attempts: 4 });
    assert.equal(await countAdmitted([budget], 'new', 1), 1);
    assert.equal(await countAdmitted([budget], 'half', 2), 2);
    for (let key = 0; key < MAX_COUNTERS; key++)
      assert.equal(await countAdmitted([budget], `other ${key}`, 2), 2);
    assert.equal(await countAdmitted([budget], 'new', 30), 3);
    assert.equal(await countAdmitted([budget], 'half', 30), 4, 'evicted');
    assert.equal(await countAdmitted([budget], 'other 0', 30), 4, 'evicted');
    assert.equal(await countAdmitted([budget], `other ${MAX_COUNTERS - 1}`, 30), 2);
  });
});
