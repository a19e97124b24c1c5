import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesInSlices, inBackground, inSlices, nextSlice, pauseIfBusy, sortInSlices } from './event-loop.ts';

/** More than the quantum. */
const LONG_MS = 2;

function work(forMs: number): void {
  const end = performance.now() + forMs;
  while (performance.now() < end);
}

/** Counts the turns of the event loop until a task ends. */
async function countTurns(task: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const counting = (async () => {
    for (; !isDone; turns++) await new Promise(setImmediate);
  })();
  await task;
  isDone = true;
  const during = turns;
  await counting;
  return during;
}

/** Collects all slices, each of which takes longer than the quantum. Counts the turns of the event loop in the meantime. */
async function taken<Slice>(slices: AsyncIterable<Slice>) {
  const all: Slice[] = [];
  const turns = await countTurns(
    (async () => {
      for await (const slice of slices) {
        all.push(slice);
        work(LONG_MS);
      }
    })(),
  );
  return { all, turns };
}

describe('inSlices', () => {
  test('yields all slices in order, with a turn of the event loop between slices', async () => {
    const { all, turns } = await taken(inSlices('a', [1, 2, 3, 4, 5], 2));
    assert.deepEqual(all, [[1, 2], [3, 4], [5]]);
    assert.ok(turns >= 2);
  });

  test('yields nothing for an empty list', async () => {
    assert.deepEqual((await taken(inSlices('a', [], 2))).all, []);
  });
});

describe('bytesInSlices', () => {
  test('yields all slices in order, with a turn of the event loop between slices', async () => {
    const bytes = Buffer.from('abcdefg');
    const { all, turns } = await taken(bytesInSlices('a', bytes, 3));
    assert.deepEqual(all.map(String), ['abc', 'def', 'g']);
    assert.ok(turns >= 2);
  });
});

/**
 * Takes three slices for each work, all at once. The owner of a work is the letter in its name. Each slice takes longer than the quantum.
 * Returns the names in the order of their slices.
 */
async function takeSlices(names: string[]): Promise<{ order: string[]; turns: number }> {
  const order: string[] = [];
  const take = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice++) {
      await nextSlice(name[0]!);
      order.push(name);
      work(LONG_MS);
    }
  };
  // The quantum of an earlier test is over.
  work(LONG_MS);
  const turns = await countTurns(Promise.all(names.map(take)));
  return { order, turns };
}

describe('nextSlice', () => {
  test('gives the work of an owner every fourth turn, in the order in which it asks', async () => {
    const { order, turns } = await takeSlices(['a1', 'a2']);
    assert.deepEqual(order, ['a1', 'a2', 'a1', 'a2', 'a1', 'a2']);
    assert.ok(turns >= 6 * 4 - 1, `${turns} turns`);
  });

  test('takes owners in turn, so that work waits for one slice of each other owner', async () => {
    const { order } = await takeSlices(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']);
    assert.deepEqual(order.slice(0, 9), ['a1', 'b1', 'c1', 'a2', 'b1', 'c2', 'a3', 'b1', 'c1']);
    // The owner b has no more work.
    assert.deepEqual(order.slice(9, 15), ['a4', 'c2', 'a1', 'c1', 'a2', 'c2']);
    assert.deepEqual(order.slice(15), ['a3', 'a4', 'a1', 'a2', 'a3', 'a4']);
  });

  test('continues in the same turn until the quantum is over', async () => {
    const slices = 1_000;
    const turns = await countTurns(
      (async () => {
        for (let slice = 0; slice < slices; slice++) await nextSlice('a');
      })(),
    );
    assert.ok(turns < slices, `${turns} turns`);
  });
});

describe('sortInSlices', () => {
  test('sorts lists of any length, and keeps the order of equal items', async () => {
    for (const length of [0, 1, 249, 250, 251, 500, 1_001, 3_000]) {
      const items = Array.from({ length }, (_, index) => ({ key: (index * 7_919) % 101, index }));
      const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
      assert.deepEqual(await sortInSlices('a', items, byKey), items.toSorted(byKey), `${length} items`);
    }
  });
});

/** Runs a task in a process that does other work all the time. Returns the milliseconds that it takes. */
async function timeInBusyProcess(task: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  const other = (async () => {
    for (; !isDone; work(LONG_MS)) await new Promise(setImmediate);
  })();
  const began = performance.now();
  await task();
  const took = performance.now() - began;
  isDone = true;
  await other;
  return took;
}

describe('pauseIfBusy', () => {
  test('pauses three times as long as the work took, and at most 250 ms, in a busy process', async () => {
    assert.ok((await timeInBusyProcess(() => pauseIfBusy(50))) >= 150);
    assert.ok((await timeInBusyProcess(() => pauseIfBusy(10_000))) < 30_000);
  });

  test('pauses shortly in an idle process', async () => {
    const began = performance.now();
    // On a busy machine, a turn of the event loop may take long.
    for (let pause = 0; pause < 20; pause++) await pauseIfBusy(3_600_000);
    assert.ok(performance.now() - began < 20 * 250);
  });
});

describe('inBackground', () => {
  test('yields all slices, and pauses after each', async () => {
    const seen: string[] = [];
    const took = await timeInBusyProcess(async () => {
      for await (const slice of inBackground(inSlices('a', ['a', 'b', 'c'], 1))) {
        seen.push(...slice);
        work(20);
      }
    });
    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.ok(took >= 3 * (20 + 60), `${took} ms`);
  });
});
