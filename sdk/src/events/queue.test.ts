import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { GuildhallError } from '../core/errors.ts';
import { memoryStorage } from '../storage/memory.ts';
import { createEventQueue, type EventSender } from './queue.ts';

const player = { playerId: 'a', tenantId: 'b', sessionId: 'c' };

/** A player whose server does not answer. */
const sender: EventSender = {
  send: () => Promise.reject(new GuildhallError({ code: 'network_error', status: 0 })),
  session: {
    current: player,
    load: async () => player,
    subscribe: () => () => {},
    onSessionEnded: () => () => {},
  },
};

test('flush does not wait if the signal is aborted already', { timeout: 5_000 }, async (context) => {
  const queue = createEventQueue(sender, { storage: memoryStorage() });
  context.after(() => queue.close());
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const { waiting } = await queue.flush(AbortSignal.abort());
  assert.equal(waiting, 1);
});

test('flush keeps nothing of a signal that lives longer', { timeout: 5_000 }, async (context) => {
  const queue = createEventQueue(sender, { storage: memoryStorage() });
  context.after(() => queue.close());
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count++) await queue.flush(signal);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});
