import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { ProblemError } from '../core/problem.ts';
import { createBatcher, type BatcherOptions, type ItemResult } from './batcher.ts';

interface Item {
  group: string;
  name: string;
}

/** Creates a batcher whose batches a test ends manually, and records the batches in the order in which they start. */
function manualBatcher(options: Partial<BatcherOptions<Item, string>> = {}) {
  const started: string[][] = [];
  const running: { succeed: () => void; fail: (error: Error) => void }[] = [];
  const batcher = createBatcher<Item, string>({
    groupOf: ({ group }) => group,
    run: (items) => {
      started.push(items.map(({ name }) => name));
      return new Promise<ItemResult<string>[]>((resolve, reject) =>
        running.push({
          succeed: () => resolve(items.map(({ name }) => ({ answer: `${name} is written` }))),
          fail: reject,
        }),
      );
    },
    ...options,
  });
  const submit = (name: string, group = 'a') => batcher.submit({ group, name });
  /** Ends the oldest running batch, with an error if one is given, and lets the next one start. */
  const end = async (error?: Error): Promise<void> => {
    const batch = running.shift()!;
    if (error) batch.fail(error);
    else batch.succeed();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  return { batcher, submit, started, end, running };
}

function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError('refused', 0, 'error');
  error.code = code;
  return error;
}

const isBusy = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'busy' && error.details.retryAfter === 1;

describe('createBatcher', () => {
  test('writes the items that arrive during a batch together, in their order', async () => {
    const { submit, started, end } = manualBatcher({ maxItems: 3 });
    const first = submit('1');
    await nextTurn();
    const others = ['2', '3', '4', '5'].map((name) => submit(name));
    await nextTurn();
    assert.deepEqual(started, [['1']], 'one batch of a group at a time');
    await end();
    assert.equal(await first, '1 is written');
    assert.deepEqual(started, [['1'], ['2', '3', '4']]);
    await end();
    await end();
    assert.deepEqual(started.at(-1), ['5']);
    assert.deepEqual(
      await Promise.all(others),
      ['2', '3', '4', '5'].map((name) => `${name} is written`),
    );
    const later = submit('6');
    await nextTurn();
    assert.deepEqual(started.at(-1), ['6'], 'an idle group starts again');
    await end();
    await later;
  });

  test('starts a second batch of a group beside the first, if many items wait', async () => {
    const { submit, started, end } = manualBatcher({ maxItems: 10 });
    const all = [submit('first')];
    await nextTurn();
    for (let number = 1; number <= 15; number++) all.push(submit(`${number}`));
    await nextTurn();
    assert.equal(started.length, 1, 'fifteen waiting items are too few');
    for (let number = 16; number <= 30; number++) all.push(submit(`${number}`));
    await nextTurn();
    assert.deepEqual(started[1], ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    assert.equal(started.length, 2, 'two batches at a time');
    for (let batch = 0; batch < 4; batch++) await end();
    assert.equal(started.flat().length, 31);
    await Promise.all(all);
  });

  test('starts no empty batch, if the first batch of a group has taken the items of the second', async () => {
    const { submit, started, end } = manualBatcher({ maxConcurrentBatches: 1 });
    const other = submit('other', 'b');
    await nextTurn();
    const items = Array.from({ length: 17 }, (_, index) => submit(String(index)));
    await nextTurn();
    await end();
    await other;
    await end();
    await Promise.all(items);
    assert.deepEqual(
      started.map(({ length }) => length),
      [1, 17],
    );
  });

  test('runs one batch of a group at a time, if configured so', async () => {
    const { submit, started, end } = manualBatcher({ maxItems: 10, maxBatchesPerGroup: 1 });
    const all = Array.from({ length: 30 }, (_, number) => submit(`${number}`));
    await nextTurn();
    assert.equal(started.length, 1);
    for (let batch = 0; batch < 3; batch++) await end();
    await Promise.all(all);
  });

  test('sends no answer before the write of the batch has ended', async () => {
    const { submit, end } = manualBatcher();
    let isAnswered = false;
    const answer = submit('1').then(() => (isAnswered = true));
    await nextTurn();
    await nextTurn();
    assert.equal(isAnswered, false);
    await end();
    await answer;
  });

  test('never mixes groups, and lets them take turns', async () => {
    const { submit, started, end } = manualBatcher({ maxItems: 2, maxConcurrentBatches: 1 });
    const all = ['1', '2', '3', '4', '5', '6'].map((name) => submit(name, 'large'));
    all.push(submit('7', 'small'));
    await nextTurn();
    for (let batch = 0; batch < 4; batch++) await end();
    assert.deepEqual(started, [['1', '2'], ['7'], ['3', '4'], ['5', '6']]);
    await Promise.all(all);
  });

  test('repeats the items of a rejected batch one by one, so that only the faulty item fails', async () => {
    const started: string[][] = [];
    const batcher = createBatcher<string, string>({
      groupOf: () => 'a',
      async run(items) {
        started.push(items);
        if (items.includes('poison')) throw databaseError('22P05');
        return items.map((answer) => ({ answer }));
      },
    });
    const settled = await Promise.allSettled(['1', 'poison', '2'].map((item) => batcher.submit(item)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(started, [['1', 'poison', '2'], ['1'], ['poison'], ['2']]);
  });

  test('repeats no more items of a group at once than its batches, so that other groups take turns', async () => {
    const started: string[] = [];
    let repeating = 0;
    let mostRepeating = 0;
    const batcher = createBatcher<string, string>({
      groupOf: ([group]) => group!,
      maxBatchesPerGroup: 1,
      maxConcurrentBatches: 2,
      async run(items) {
        if (items.length > 1) throw databaseError('GH002');
        const [item] = items as [string];
        started.push(item);
        if (item.startsWith('a')) mostRepeating = Math.max(mostRepeating, ++repeating);
        await nextTurn();
        if (item.startsWith('a')) repeating--;
        return [{ answer: item }];
      },
    });
    const rejected = Array.from({ length: 10 }, (_, number) => batcher.submit(`a${number}`));
    await nextTurn();
    await nextTurn();
    const other = batcher.submit('b');
    await Promise.all([...rejected, other]);
    assert.equal(mostRepeating, 1);
    assert.ok(started.indexOf('b') < 5, started.join(' '));
  });

  test('repeats no item after an error with an unknown outcome, or one that every item would cause', async () => {
    for (const error of [
      new Error('Connection terminated unexpectedly'),
      databaseError('57014'),
      databaseError('57P01'),
      databaseError('53100'),
      databaseError('40003'),
    ]) {
      const { submit, started, end } = manualBatcher();
      const settled = Promise.allSettled(['1', '2'].map((name) => submit(name)));
      await nextTurn();
      await end(error);
      assert.deepEqual(
        (await settled).map((result) => result.status === 'rejected' && result.reason),
        [error, error],
      );
      assert.deepEqual(started, [['1', '2']], error.message);
    }
  });

  test('continues after a lost connection', async () => {
    const { submit, started, end } = manualBatcher();
    const lost = assert.rejects(submit('1'), /terminated/);
    await nextTurn();
    const next = submit('2');
    await end(new Error('Connection terminated unexpectedly'));
    await lost;
    await end();
    assert.equal(await next, '2 is written');
    assert.deepEqual(started, [['1'], ['2']]);
  });

  test('rejects an item with its own refusal, and answers the others', async () => {
    const refusal = new ProblemError('not_found');
    const batcher = createBatcher<string, string>({
      groupOf: () => 'a',
      run: async (items) => items.map((item) => (item === 'bad' ? { refusal } : { answer: item })),
    });
    const [good, bad] = await Promise.allSettled([batcher.submit('good'), batcher.submit('bad')]);
    assert.deepEqual(good, { status: 'fulfilled', value: 'good' });
    assert.deepEqual(bad, { status: 'rejected', reason: refusal });
  });

  test('refuses items beyond the limit of their group as busy, with Retry-After', async () => {
    const { submit, end } = manualBatcher({ maxWaiting: 2 });
    const all = [submit('1')];
    await nextTurn();
    all.push(submit('2'), submit('3'));
    await assert.rejects(submit('4'), isBusy);
    all.push(submit('5', 'b'));
    await nextTurn();
    for (let batch = 0; batch < 3; batch++) await end();
    await Promise.all(all);
  });

  test('writes the waiting items before it closes, and refuses later ones', async () => {
    const { batcher, submit, end } = manualBatcher({ maxItems: 1 });
    const all = [submit('1'), submit('2')];
    let isClosed = false;
    const closed = batcher.close().then(() => (isClosed = true));
    await assert.rejects(submit('3'), isBusy);
    await assert.rejects(submit('4', 'b'), isBusy);
    await nextTurn();
    await end();
    assert.equal(isClosed, false);
    await end();
    assert.deepEqual(await Promise.all(all), ['1 is written', '2 is written']);
    await closed;
  });
});
