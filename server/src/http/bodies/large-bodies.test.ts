import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fastify from 'fastify';
import { nextSlice } from '../../core/concurrency/event-loop.ts';
import { parseJsonBodies } from './json-body.ts';

const large = { text: 'x'.repeat(8 * 1024) };

/** Sends bodies at once. Returns in which turn of the event loop each was handled. */
async function turnsOf(bodies: object[], onHandled = (): void => {}): Promise<number[]> {
  const app = fastify();
  parseJsonBodies(app);
  const turns: number[] = [];
  let turn = 0;
  app.post('/', async () => {
    turns.push(turn);
    onHandled();
  });
  await app.ready();
  let isOver = false;
  const count = (async () => {
    for (; !isOver; turn++) await nextTurn();
  })();
  const answers = await Promise.all(
    bodies.map((payload) => app.inject({ method: 'POST', url: '/', payload })),
  );
  isOver = true;
  await count;
  await app.close();
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    bodies.map(() => 200),
  );
  return turns;
}

test('bodies of more than 8 KiB that arrive at once are parsed in different turns of the event loop', async () => {
  const turns = await turnsOf(Array.from({ length: 10 }, () => large));
  assert.equal(new Set(turns).size, 10, String(turns));
});

test('smaller bodies do not wait', async () => {
  const turns = await turnsOf(Array.from({ length: 10 }, () => ({ text: 'x' })));
  assert.ok(new Set(turns).size < 10, String(turns));
});

test('other work in slices does not wait for all of them', async () => {
  let slices = 0;
  let isOver = false;
  const batch = (async () => {
    for (; !isOver; slices++) {
      await nextSlice('batch');
      await nextTurn();
    }
  })();
  const slicesBefore: number[] = [];
  // The others arrive while the first one is handled.
  const handle = (): void => {
    slicesBefore.push(slices);
    for (const end = performance.now() + 5; performance.now() < end;);
  };
  await turnsOf(
    Array.from({ length: 10 }, () => large),
    handle,
  );
  isOver = true;
  await batch;
  assert.ok(slicesBefore.at(-1)! >= slicesBefore[0]! + 8, String(slicesBefore));
});
