import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFairSemaphore, SemaphoreFullError, SemaphoreTimeoutError } from './fair-semaphore.ts';

const LIMITS = { running: 2, runningPerOwner: 1, waitingPerMember: 2, waitMs: 60_000 };

/** Creates tasks that a test ends manually, and records the order in which they start. */
function manualWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => (): Promise<string> => {
    started.push(name);
    return new Promise((resolve) => ends.set(name, () => resolve(name)));
  };
  return { started, work, end: (name: string) => ends.get(name)!() };
}

describe('createFairSemaphore', () => {
  test('limits one owner to its share and leaves a slot to another owner', async () => {
    const { started, work, end } = manualWork();
    const { run } = createFairSemaphore(LIMITS);
    const all = [run('a', work('a1')), run('a', work('a2')), run('b', work('b1'))];
    assert.deepEqual(started, ['a1', 'b1']);
    end('b1');
    await all[2];
    assert.deepEqual(started, ['a1', 'b1'], 'the free slot is not for the owner with a running task');
    end('a1');
    await all[0];
    assert.deepEqual(started, ['a1', 'b1', 'a2']);
    end('a2');
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1']);
  });

  test('leaves slots to other owners with a falling limit, and starts all tasks in the end', async () => {
    const { started, work, end } = manualWork();
    const { run } = createFairSemaphore({ running: 8, runningPerOwner: 4, isFalling: true });
    const all = ['a', 'b', 'c'].flatMap((owner) =>
      [1, 2, 3, 4, 5].map((number) => run(owner, work(`${owner}${number}`))),
    );
    assert.deepEqual(started, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
    all.push(run('d', work('d1')));
    assert.equal(started.at(-1), 'd1');
    for (let ended = 0; ended < 16; ended++) {
      end(started[ended]!);
      await new Promise(setImmediate);
    }
    assert.equal((await Promise.all(all)).length, 16);
  });

  test('gives the slots of an owner to its members in turn, and limits how many tasks of each wait', async () => {
    const { started, work, end } = manualWork();
    const { run } = createFairSemaphore({ ...LIMITS, running: 1 });
    const all = [run('z', work('z1'))];
    for (const name of ['a1', 'a2', 'b1', 'b2']) all.push(run('studio', work(name), { member: name[0]! }));
    await assert.rejects(run('studio', work('a3'), { member: 'a' }), SemaphoreFullError);
    all.push(run('y', work('y1')));
    for (const name of ['z1', 'a1', 'y1', 'b1', 'a2', 'b2']) {
      assert.equal(started.at(-1), name);
      end(name);
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  });

  test('gives free slots to waiting owners in turn', async () => {
    const { started, work, end } = manualWork();
    const { run } = createFairSemaphore({ ...LIMITS, running: 1 });
    const all = [run('z', work('z1'))];
    for (const name of ['a1', 'a2', 'b1', 'c1']) all.push(run(name[0]!, work(name)));
    for (const name of ['z1', 'a1', 'b1', 'c1', 'a2']) {
      assert.equal(started.at(-1), name);
      end(name);
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  });

  test('rejects tasks beyond the queue of their owner, and serves other owners', async () => {
    const { work, end } = manualWork();
    const { run } = createFairSemaphore(LIMITS);
    const admitted = ['a1', 'a2', 'a3'].map((name) => run('a', work(name)));
    await assert.rejects(run('a', work('a4')), SemaphoreFullError);
    const other = run('b', work('b1'));
    end('b1');
    assert.equal(await other, 'b1');
    const patient = run('a', work('a5'), { patient: true });
    for (const name of ['a1', 'a2', 'a3', 'a5']) {
      end(name);
      await new Promise(setImmediate);
    }
    await Promise.all([...admitted, patient]);
  });

  test('rejects a task that waited too long and removes it from the queue', async () => {
    const { started, work, end } = manualWork();
    const { run } = createFairSemaphore({ ...LIMITS, waitMs: 1 });
    const first = run('a', work('a1'));
    await assert.rejects(run('a', work('late')), SemaphoreTimeoutError);
    end('a1');
    await first;
    const next = run('a', work('a2'));
    end('a2');
    await next;
    assert.deepEqual(started, ['a1', 'a2']);
  });

  test('never rejects a patient task that waits longer', async () => {
    const { work, end } = manualWork();
    const { run } = createFairSemaphore({ ...LIMITS, waitMs: 1 });
    const first = run('a', work('a1'));
    const patient = run('a', work('a2'), { patient: true });
    await assert.rejects(run('a', work('late')), SemaphoreTimeoutError);
    end('a1');
    await first;
    end('a2');
    assert.equal(await patient, 'a2');
  });

  test('gives a free slot to the next owner who may have one, and counts all waiting tasks', async () => {
    const { started, work, end } = manualWork();
    const { run, waiting } = createFairSemaphore(LIMITS);
    const all = ['a1', 'b1', 'a2', 'a3', 'c1'].map((name) => run(name[0]!, work(name)));
    assert.equal(waiting(), 3);
    end('b1');
    await all[1];
    assert.deepEqual(started, ['a1', 'b1', 'c1'], 'the first owner in the queue has no slot left');
    for (const name of ['a1', 'a2', 'a3', 'c1']) {
      end(name);
      await new Promise(setImmediate);
    }
    await Promise.all(all);
    assert.equal(waiting(), 0);
  });

  test('releases the slot of a task that throws', async () => {
    const { run } = createFairSemaphore(LIMITS);
    for (let attempt = 0; attempt < 3; attempt++)
      await assert.rejects(
        run('a', () => Promise.reject(new Error('broken'))),
        /broken/,
      );
    assert.equal(await run('a', async () => 'fine'), 'fine');
  });
});
