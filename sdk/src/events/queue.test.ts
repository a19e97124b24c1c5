import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { GuildhallError } from '../core/errors.ts';
import { memoryStorage } from '../storage/memory.ts';
import { createEventQueue } from './queue.ts';
import type { EventSender } from './sender-loop.ts';

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

test('flush does not wait for a session that has ended', { timeout: 5_000 }, async (context) => {
  let current: typeof player | undefined = player;
  const session = {
    get current() {
      return current;
    },
    load: async () => current,
    subscribe: () => () => {},
    onSessionEnded: () => () => {},
  };
  const send = () => {
    current = undefined;
    return Promise.reject(new GuildhallError({ code: 'invalid_token', status: 401 }));
  };
  const queue = createEventQueue({ send, session }, { storage: memoryStorage() });
  context.after(() => queue.close());
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const { waiting, waitingFor } = await queue.flush();
  assert.deepEqual({ waiting, waitingFor }, { waiting: 1, waitingFor: 'session' });
});

/** Holds its answers back until they are released. Refuses the event `a`, and stores each other name once. */
function heldServer() {
  const names = new Set<string>();
  const held: (() => void)[] = [];
  const answer = (body: string) => {
    const { events } = JSON.parse(body) as { events: { idempotencyKey: string }[] };
    const keys = events.map(({ idempotencyKey }) => idempotencyKey);
    const records = keys.filter((key) => key !== 'a' && !names.has(key));
    for (const key of records) names.add(key);
    const errors = keys.includes('a')
      ? [{ index: keys.indexOf('a'), statusCode: 422, error: 'refused' }]
      : [];
    return { records, errors, duplicateCount: keys.length - records.length - errors.length };
  };
  const send = (_method: string, _path: string, { body }: { body: string }) => {
    const answered = answer(body);
    return new Promise((resolve) => held.push(() => resolve(answered)));
  };
  return { send: send as unknown as EventSender['send'], held };
}

test(
  'counts an event once if the last batch of a hidden page has it too',
  { timeout: 5_000 },
  async (context) => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
    Object.assign(globalThis, { document: page, addEventListener() {}, removeEventListener() {} });
    const { send, held } = heldServer();
    const refused: string[] = [];
    const queue = createEventQueue(
      { ...sender, send },
      {
        storage: memoryStorage(),
        batchEvents: 2,
        onRefused: ({ event }) => refused.push(event.idempotencyKey),
      },
    );
    context.after(async () => {
      await queue.close();
      for (const name of ['document', 'addEventListener', 'removeEventListener'])
        Reflect.deleteProperty(globalThis, name);
    });
    for (const idempotencyKey of ['a', 'b', 'c', 'd'])
      await queue.addPlayerEvent({ eventKey: 'jump', idempotencyKey });
    const nextTurn = () => new Promise((resolve) => setTimeout(resolve));
    let isFlushed = false;
    void queue.flush().then(() => (isFlushed = true));
    while (held.length === 0) await nextTurn();
    page.dispatchEvent(new Event('visibilitychange'));
    while (held.length === 1) await nextTurn();
    for (; !isFlushed; await nextTurn()) held.shift()?.();
    const { waiting, stored, duplicates } = queue.progress;
    assert.deepEqual({ waiting, stored, duplicates }, { waiting: 0, stored: 3, duplicates: 0 });
    assert.deepEqual([refused, queue.progress.refused], [['a'], 1]);
  },
);
