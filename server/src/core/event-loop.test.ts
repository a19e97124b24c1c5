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
    const { all, turns } = await taken(inSlices([1, 2, 3, 4, 5], 2));
    assert.deepEqual(all, [[1, 2], [3, 4], [5]]);
    assert.ok(turns >= 2);
  });

  test('yields nothing for an empty list', async () => {
    assert.deepEqual((await taken(inSlices([], 2))).all, []);
  });
});

describe('bytesInSlices', () => {
  test('yields all slices in order, with a turn of the event loop between slices', async () => {
    const bytes = Buffer.from('abcdefg');
    const { all, turns } = await taken(bytesInSlices(bytes, 3));
    assert.deepEqual(all.map(String), ['abc', 'def', 'g']);
    assert.ok(turns >= 2);
  });
});

describe('nextSlice', () => {
  test('gives each of several lists every fourth turn, in the order in which they ask', async () => {
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      for await (const slice of inSlices([1, 2, 3], 1)) {
        order.push(`${name}${slice[0]}`);
        work(LONG_MS);
      }
    };
    const turns = await countTurns(Promise.all([take('a'), take('b')]));
    assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
    // Each list waits twice.
    assert.ok(turns >= 4 * 4 - 1, `${turns} turns`);
  });

  test('continues in the same turn until the quantum is over', async () => {
    const slices = 1_000;
    const turns = await countTurns(
      (async () => {
        for (let slice = 0; slice < slices; slice++) await nextSlice();
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
      assert.deepEqual(await sortInSlices(items, byKey), items.toSorted(byKey), `${length} items`);
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
      for await (const slice of inBackground(inSlices(['a', 'b', 'c'], 1))) {
        seen.push(...slice);
        work(20);
      }
    });
    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.ok(took >= 3 * (20 + 60), `${took} ms`);
  });
});
