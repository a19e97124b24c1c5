import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GuildhallError } from '../core/errors.ts';
import type { RequestOptions } from '../core/http.ts';
import type { SessionEnd } from '../core/stored-session.ts';
import type { ClientStorage } from '../core/storage.ts';
import { createPlayerClient } from '../player/client.ts';
import { localStorage } from '../storage/local-storage.ts';
import { memoryStorage } from '../storage/memory.ts';
import { createEventQueue, type DroppedEvents, type EventContent, type Progress } from './queue.ts';
import type { EventSender } from './sender-loop.ts';

const player = { playerId: 'a', tenantId: 'b', sessionId: 'c' };

/** A player whose server does not answer. */
const sender: EventSender = {
  baseUrl: 'https://api.example',
  send: () => Promise.reject(new GuildhallError({ code: 'network_error', status: 0 })),
  session: {
    current: player,
    load: async () => player,
    subscribe: () => () => {},
    onSessionEnded: () => () => {},
    serverTime: () => new Date(),
  },
};

test('flush does not wait if the signal is aborted already', async (context) => {
  const queue = createEventQueue(sender, { storage: memoryStorage() });
  context.after(() => queue.close());
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const { waiting } = await queue.flush(AbortSignal.abort());
  assert.equal(waiting, 1);
});

/** A storage whose writes wait until the test ends them, with success or with an error. */
function heldStorage() {
  const storage = memoryStorage();
  const held = Promise.withResolvers<void>();
  // A failure before the first write has no other handler.
  held.promise.catch(() => {});
  const write: ClientStorage['write'] = async (...args) => {
    await held.promise;
    return storage.write(...args);
  };
  return { storage: { ...storage, write }, succeed: held.resolve, fail: held.reject };
}

test('flush waits for events that are being stored', async (context) => {
  const send = async () => ({ records: [{}] });
  const { storage, succeed } = heldStorage();
  const queue = createEventQueue({ ...sender, send }, { storage });
  context.after(() => queue.close());
  const adding = queue.addPlayerEvent({ eventKey: 'jump' });
  const flushing = queue.flush();
  await new Promise(setImmediate);
  succeed();
  const { waiting, stored } = await flushing;
  assert.deepEqual({ waiting, stored }, { waiting: 0, stored: 1 });
  await adding;
});

test('shows the last failure until a batch succeeds', async (context) => {
  let isAway = true;
  const send = async () => {
    if (isAway) throw new GuildhallError({ code: 'network_error', status: 0 });
    return { records: [{}] };
  };
  const backOff = { firstMs: 1, longestMs: 1 };
  const queue = createEventQueue({ ...sender, send }, { storage: memoryStorage(), backOff });
  context.after(() => queue.close());
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const failed = new Promise<void>((resolve) => {
    queue.subscribe(({ error }) => error && resolve());
  });
  const flushing = queue.flush();
  await failed;
  isAway = false;
  const { error, waiting } = await flushing;
  assert.deepEqual({ error, waiting }, { error: undefined, waiting: 0 });
});

test('close reports the events that the storage refuses meanwhile', async () => {
  const dropped: DroppedEvents[] = [];
  const { storage, fail } = heldStorage();
  const queue = createEventQueue(sender, { storage, onDropped: (lost) => void dropped.push(lost) });
  await queue.flush();
  const adding = queue.addPlayerEvent({ eventKey: 'jump' });
  const closing = queue.close();
  await new Promise(setImmediate);
  fail(new Error('The storage is broken.'));
  await Promise.all([closing, assert.rejects(adding, { code: 'event_dropped' })]);
  assert.deepEqual(
    dropped.map(({ reason, events }) => [reason, events.length]),
    [['closed', 1]],
  );
});

test('flush keeps no listener on a signal that outlives it', async (context) => {
  const queue = createEventQueue(sender, { storage: memoryStorage() });
  context.after(() => queue.close());
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count++) await queue.flush(signal);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('flush does not wait for a session that has ended', async (context) => {
  let current: typeof player | undefined = player;
  const session = {
    get current() {
      return current;
    },
    load: async () => current,
    subscribe: () => () => {},
    onSessionEnded: () => () => {},
    serverTime: () => new Date(),
  };
  const send = () => {
    current = undefined;
    return Promise.reject(new GuildhallError({ code: 'invalid_token', status: 401 }));
  };
  const queue = createEventQueue({ ...sender, send, session }, { storage: memoryStorage() });
  context.after(() => queue.close());
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const { waiting, waitingFor } = await queue.flush();
  assert.deepEqual({ waiting, waitingFor }, { waiting: 1, waitingFor: 'session' });
});

test('progress is the same object until it changes, as useSyncExternalStore of React needs it', async (context) => {
  const queue = createEventQueue(
    { ...sender, send: answering() },
    { storage: memoryStorage(), batchAfterMs: 60_000 },
  );
  context.after(() => queue.close());
  const seen: Progress[] = [];
  queue.subscribe((progress) => seen.push(progress));
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const added = queue.progress;
  assert.equal(queue.progress, added);
  assert.equal(seen.at(-1), added);
  const flushed = await queue.flush(AbortSignal.timeout(10_000));
  assert.deepEqual([flushed.waiting, flushed.stored, added.waiting, added.stored], [0, 1, 1, 0]);
  assert.equal(queue.progress, flushed);
  assert.equal(seen.at(-1), flushed);
});

test('does not pause for a player who was followed by another one during the request', async (context) => {
  const other = { ...player, playerId: 'other' };
  let current = player;
  const session = {
    ...sender.session,
    get current() {
      return current;
    },
    load: async () => current,
  };
  const send: EventSender['send'] = async (_method, _path, { playerId, body }: RequestOptions = {}) => {
    if (playerId === other.playerId)
      return { records: (JSON.parse(body as string) as { events: unknown[] }).events };
    current = other;
    throw new GuildhallError({ code: 'not_signed_in', status: 401 });
  };
  const queue = createEventQueue({ ...sender, send, session }, { storage: memoryStorage() });
  context.after(() => queue.close());
  await queue.addPlayerEvent({ eventKey: 'jump' });
  await queue.flush(AbortSignal.timeout(2_000));
  await queue.addPlayerEvent({ eventKey: 'jump' });
  const { waiting, stored } = await queue.flush(AbortSignal.timeout(2_000));
  assert.deepEqual({ waiting, stored }, { waiting: 1, stored: 1 });
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

test('counts an event once if the last batch of a hidden page has it too', async (context) => {
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
    await queue.addPlayerEvent({ eventKey: 'jump', idempotencyKey, occurredAt: new Date() });
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
});

/** Answers the batches with what `answer` returns, and counts its events as stored by default. */
function answering(
  answer: (events: { idempotencyKey: string }[]) => unknown = (events) => ({ records: events }),
): EventSender['send'] {
  return async (_method, path, options) =>
    path === '/api/player-profile/me'
      ? { mergedProfileIds: [] }
      : answer((JSON.parse(options!.body as string) as { events: { idempotencyKey: string }[] }).events);
}

const refuseAll = answering((events) => ({
  errors: events.map((_, index) => ({ index, statusCode: 422, error: 'refused' })),
}));

test('takes events of a player whose session has ended before the first of them', async (context) => {
  const session = { ...sender.session, load: async () => undefined };
  const queue = createEventQueue({ ...sender, session }, { storage: memoryStorage() });
  context.after(() => queue.close());
  Object.assign(session, { current: undefined });
  await queue.addPlayerEvent({ eventKey: 'jump' });
  assert.equal(queue.progress.waiting, 1);
});

test('names a refused event in the console by its key, definition or idempotency key', async (context) => {
  const warn = context.mock.method(console, 'warn', () => {});
  const queue = createEventQueue({ ...sender, send: refuseAll }, { storage: memoryStorage() });
  context.after(() => queue.close());
  const name = { idempotencyKey: 'level-7', occurredAt: new Date() } as EventContent;
  for (const event of [{ eventKey: 'jump' }, { eventDefinitionId: 'the-id' }, name])
    await queue.addPlayerEvent(event);
  await queue.flush();
  assert.deepEqual(
    warn.mock.calls.map((call) => call.arguments[0]),
    ['jump', 'the-id', 'level-7'].map((event) => `Guildhall refused the event "${event}": refused`),
  );
});

test('sends an event with its player, its session and the time of the game', async (context) => {
  const sent: unknown[] = [];
  const send = answering((events) => {
    sent.push(...events);
    return { records: events };
  });
  const queue = createEventQueue({ ...sender, send }, { storage: memoryStorage() });
  context.after(() => queue.close());
  const occurredAt = new Date('2026-11-22T10:00:00Z');
  const named = { eventKey: 'jump', idempotencyKey: 'a', occurredAt };
  await queue.addPlayerEvent(named);
  await queue.addMatchEvent({ ...named, matchSessionId: 'm', matchPlayerId: 'p' });
  await queue.flush();
  const expected = { ...named, loginSessionId: 'c', occurredAt: '2026-11-22T10:00:00.000Z' };
  assert.deepEqual(sent, [
    { ...expected, playerId: 'a' },
    { ...expected, matchSessionId: 'm', matchPlayerId: 'p' },
  ]);
});

test('counts events by their answer', async (context) => {
  // Of four events, the first is refused, and two were stored before.
  const send = answering((events) => ({
    records: events.slice(3),
    errors: [{ index: 0, statusCode: 422, error: 'refused' }],
    duplicateCount: 2,
  }));
  const options = { storage: memoryStorage(), onRefused: () => {} };
  const queue = createEventQueue({ ...sender, send }, options);
  context.after(() => queue.close());
  for (const value of [1, 2, 3, 4]) await queue.addPlayerEvent({ eventKey: 'jump', value });
  const { waiting, stored, duplicates, refused, dropped } = await queue.flush();
  assert.deepEqual([waiting, stored, duplicates, refused, dropped], [0, 1, 2, 1, 0]);
});

test('sends when a batch is full, and takes no event after it is closed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const send = answering((events) => {
    resolve();
    return { records: events };
  });
  const options = { storage: memoryStorage(), batchEvents: 2, batchAfterMs: 60_000 };
  const queue = createEventQueue({ ...sender, send }, options);
  await queue.flush();
  await queue.addPlayerEvent({ eventKey: 'jump' });
  await new Promise(setImmediate);
  assert.equal(queue.progress.waiting, 1);
  await queue.addPlayerEvent({ eventKey: 'jump' });
  await promise;
  await queue.flush();
  await queue.close();
  await assert.rejects(queue.addPlayerEvent({ eventKey: 'jump' }), { code: 'event_dropped' });
  assert.equal(queue.progress.waiting, 0);
});

test('sends a full batch in one request, although the storage takes time to save its last event', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sizes: number[] = [];
  const send = answering((events) => {
    sizes.push(events.length);
    resolve();
    return { records: events };
  });
  const memory = memoryStorage();
  const storage: ClientStorage = {
    ...memory,
    write: async (changes) => {
      await sleep(20);
      return memory.write(changes);
    },
  };
  const options = { storage, batchEvents: 5, batchAfterMs: 60_000 };
  const queue = createEventQueue({ ...sender, send }, options);
  await queue.flush();
  for (let count = 0; count < 5; count++) await queue.addPlayerEvent({ eventKey: 'jump' });
  await promise;
  await queue.close();
  assert.deepEqual(sizes, [5]);
});

test('takes no event after a sign-out, but after the server refused the session', async (context) => {
  let end: (end: SessionEnd) => void = () => {};
  const session = {
    ...sender.session,
    load: async () => undefined,
    onSessionEnded: (listener: typeof end) => {
      end = listener;
      return () => {};
    },
  };
  const queue = createEventQueue({ ...sender, session }, { storage: memoryStorage() });
  context.after(() => queue.close());
  Object.assign(session, { current: undefined });
  end({ reason: 'refused' });
  await queue.addPlayerEvent({ eventKey: 'jump' });
  end({ reason: 'signed_out' });
  await assert.rejects(queue.addPlayerEvent({ eventKey: 'jump' }), { code: 'not_signed_in' });
  assert.equal(queue.progress.waiting, 1);
});

test('refuses an event that is no object', async (context) => {
  const queue = createEventQueue(sender, { storage: memoryStorage() });
  context.after(() => queue.close());
  for (const wrong of [undefined, null, 'jump'])
    await assert.rejects(queue.addPlayerEvent(wrong as never), /TypeError: .*such as { eventKey: 'jump' }/);
  assert.equal(queue.progress.waiting, 0);
});

describe('an idempotencyKey of the game', () => {
  test('needs the occurredAt of the event, because both identify it', async (context) => {
    const queue = createEventQueue(sender, { storage: memoryStorage() });
    context.after(() => queue.close());
    const nameOnly = { eventKey: 'level', idempotencyKey: 'level-7-done' } as unknown as EventContent;
    await assert.rejects(queue.addPlayerEvent(nameOnly), TypeError);
    const atNoTime = { eventKey: 'jump', occurredAt: new Date(Number.NaN) };
    await assert.rejects(
      queue.addPlayerEvent(atNoTime),
      /TypeError: The occurredAt of an event must be a valid date/,
    );
    assert.equal(queue.progress.waiting, 0);
    await queue.addPlayerEvent({ ...nameOnly, occurredAt: '2026-11-22T10:00:00Z' });
    assert.equal(queue.progress.waiting, 1);
  });
});

describe('a listener of the game that throws', () => {
  /** Collects the uncaught errors of a test. */
  function collectUncaught(context: TestContext): unknown[] {
    const errors: unknown[] = [];
    context.mock.method(globalThis, 'queueMicrotask', (task: () => void) => {
      try {
        task();
      } catch (error) {
        errors.push(error);
      }
    });
    return errors;
  }

  test('onRefused gets the other refusals, and the queue continues', async (context) => {
    const uncaught = collectUncaught(context);
    const refused: unknown[] = [];
    const queue = createEventQueue(
      { ...sender, send: refuseAll },
      {
        storage: memoryStorage(),
        onRefused: ({ event }) => {
          refused.push(event['value']);
          throw new Error('of the game');
        },
      },
    );
    context.after(() => queue.close());
    for (const value of [1, 2, 3]) await queue.addPlayerEvent({ eventKey: 'jump', value });
    const { error, waiting } = await queue.flush();
    assert.deepEqual({ refused, error, waiting }, { refused: [1, 2, 3], error: undefined, waiting: 0 });
    assert.equal(uncaught.length, 3);
  });

  test('onDropped does not change the result of the call', async (context) => {
    const uncaught = collectUncaught(context);
    const onDropped = () => {
      throw new Error('of the game');
    };
    const queue = createEventQueue(sender, { storage: memoryStorage(), maxBytes: 1, onDropped });
    context.after(() => queue.close());
    await assert.rejects(queue.addPlayerEvent({ eventKey: 'jump' }), { code: 'event_dropped' });
    assert.equal(uncaught.length, 1);
  });
});

const DAY_MS = 86_400_000;

describe('the warnings of the server', () => {
  const message = '"props" is not a field of a player event. It was not stored.';
  const warnAll = answering((events) => ({
    records: events,
    warnings: events.map((_, index) => ({ index, message })),
  }));
  const withProps = (level: number) => ({ eventKey: 'done', props: { level } }) as EventContent;

  test('go to onWarning, each with its event', async (context) => {
    const warned: unknown[] = [];
    const queue = createEventQueue(
      { ...sender, send: warnAll },
      {
        storage: memoryStorage(),
        onWarning: (warning) => warned.push([warning.event['props'], warning.message]),
      },
    );
    context.after(() => queue.close());
    for (const level of [1, 2]) await queue.addPlayerEvent(withProps(level));
    assert.equal((await queue.flush()).stored, 2);
    assert.deepEqual(warned, [
      [{ level: 1 }, message],
      [{ level: 2 }, message],
    ]);
  });

  test('are written to the console once for each text', async (context) => {
    const warn = context.mock.method(console, 'warn', () => {});
    const texts = Array.from({ length: 200 }, (_, number) => `"p${number}" is not a field.`);
    const send = answering((events) => ({
      records: events,
      warnings: [message, message, ...texts].map((text) => ({ index: 0, message: text })),
    }));
    const queue = createEventQueue({ ...sender, send }, { storage: memoryStorage() });
    context.after(() => queue.close());
    for (let count = 0; count < 2; count++) {
      await queue.addPlayerEvent(withProps(3));
      await queue.flush();
    }
    assert.equal(warn.mock.callCount(), 100);
    assert.match(String(warn.mock.calls[0]!.arguments[0]), /"done".*"props" is not a field/);
  });
});

describe('events of an earlier player on the same page', () => {
  const next = { ...player, playerId: 'next' };

  /** A queue whose batches have three events, the keys of the events in each request, and a sign-in of another player. */
  async function arrangeShared(context: TestContext, maxBytes?: number) {
    let current = player;
    const listeners: ((who: typeof player) => void)[] = [];
    const requests: string[][] = [];
    const server = { isAway: false };
    const send = answering((events) => {
      if (server.isAway) throw new GuildhallError({ code: 'network_error', status: 0 });
      requests.push((events as unknown as { eventKey: string }[]).map(({ eventKey }) => eventKey));
      return { records: events };
    });
    const session: EventSender['session'] = {
      ...sender.session,
      get current() {
        return current;
      },
      load: async () => current,
      subscribe: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    };
    const queue = createEventQueue(
      { ...sender, send, session },
      { storage: memoryStorage(), batchEvents: 3, batchAfterMs: 60_000, maxBytes, onDropped: () => {} },
    );
    context.after(() => queue.close());
    const signIn = (who: typeof player) => {
      current = who;
      for (const listener of listeners) listener(who);
    };
    await queue.flush();
    return { queue, signIn, server, requests };
  }

  test('leave the room of the queue to the next player, and are sent at their next sign-in', async (context) => {
    const { queue, signIn, requests } = await arrangeShared(context, 700);
    await queue.addPlayerEvent({ eventKey: 'early' });
    await assert.rejects(queue.addPlayerEvent({ eventKey: 'early' }), { code: 'event_dropped' });
    signIn(next);
    await queue.addPlayerEvent({ eventKey: 'late' });
    assert.equal((await queue.flush()).waiting, 0);
    assert.deepEqual(requests, [['late']]);
    signIn(player);
    await queue.flush();
    assert.deepEqual(requests, [['late'], ['early']]);
  });

  test('do not make a request of each event of the next player', async (context) => {
    const { queue, signIn, server, requests } = await arrangeShared(context);
    server.isAway = true;
    for (let count = 0; count < 3; count++) await queue.addPlayerEvent({ eventKey: 'early' });
    signIn(next);
    server.isAway = false;
    await queue.flush();
    for (let count = 0; count < 3; count++) {
      await queue.addPlayerEvent({ eventKey: 'late' });
      await new Promise(setImmediate);
    }
    await queue.flush();
    assert.deepEqual(requests, [['late', 'late', 'late']]);
  });
});

describe('the age of events', () => {
  const other = { ...player, playerId: 'other' };
  const ofPlayer = (current: typeof player, send = sender.send): EventSender => ({
    ...sender,
    send,
    session: { ...sender.session, current, load: async () => current },
  });

  test('a clock that is set ahead by 31 days drops no event of the player', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const storage = memoryStorage();
    const dropped: string[] = [];
    const onDropped = ({ reason }: { reason: string }) => void dropped.push(reason);
    const before = createEventQueue(sender, { storage, onDropped });
    for (const value of [1, 2, 3]) await before.addPlayerEvent({ eventKey: 'jump', value });
    await before.close();
    context.mock.timers.tick(31 * DAY_MS);
    const queue = createEventQueue({ ...sender, send: answering() }, { storage, onDropped });
    context.after(() => queue.close());
    assert.equal((await queue.flush()).stored, 3);
    assert.deepEqual(dropped, []);
  });

  test('drops events whose player did not sign in for 30 days', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const storage = memoryStorage();
    const before = createEventQueue(sender, { storage });
    await before.addPlayerEvent({ eventKey: 'jump' });
    await before.close();
    context.mock.timers.tick(31 * DAY_MS);
    const dropped: DroppedEvents[] = [];
    const onDropped = (drop: DroppedEvents) => void dropped.push(drop);
    const queue = createEventQueue(ofPlayer(other, answering()), { storage, onDropped });
    context.after(() => queue.close());
    await queue.flush();
    assert.deepEqual(
      dropped.map(({ reason, events }) => [reason, events.length]),
      [['too_old', 1]],
    );
    assert.deepEqual(await storage.list('', 10), []);
  });
});

describe('events of another page', () => {
  test('are taken over within a minute', async (context) => {
    context.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
    /** Lets time pass. The session is read later than the timer fires, as in a busy browser. */
    async function pass(milliseconds: number, lateMs = 0): Promise<void> {
      context.mock.timers.tick(milliseconds);
      context.mock.timers.tick(lateMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const storage = memoryStorage();
    const session = { ...sender.session, current: undefined };
    const queue = createEventQueue({ ...sender, session, send: answering() }, { storage });
    context.after(() => queue.close());
    await pass(0, 5);
    await pass(29_995);
    await pass(1_000);
    const other = createEventQueue(sender, { storage });
    await other.addPlayerEvent({ eventKey: 'jump' });
    await other.close();
    await pass(29_000, 5);
    assert.equal(queue.progress.stored, 0);
    await pass(29_995);
    assert.equal(queue.progress.stored, 1);
  });
});

describe('several games in one storage', () => {
  test('the events of a server are not sent to another, even if it is a copy', async (context) => {
    const storage = memoryStorage();
    const production = createEventQueue(sender, { storage });
    context.after(() => production.close());
    await production.addPlayerEvent({ eventKey: 'jump' });
    // The longer address begins with the other one.
    for (const baseUrl of ['https://staging.example', 'https://api.example/eu', 'https://api.exam']) {
      const copy = createEventQueue(
        { baseUrl, session: sender.session, send: answering() },
        { storage, maxAgeMs: 0 },
      );
      context.after(() => copy.close());
      const { waiting, stored, dropped } = await copy.flush();
      assert.deepEqual({ waiting, stored, dropped }, { waiting: 0, stored: 0, dropped: 0 }, baseUrl);
    }
    const restarted = createEventQueue({ ...sender, send: answering() }, { storage });
    context.after(() => restarted.close());
    assert.equal((await restarted.flush()).stored, 1);
  });
});

describe('a storage of the game', () => {
  test('that throws at once loses no event', async (context) => {
    const storage = {
      ...memoryStorage(),
      write: () => {
        throw new Error('of the game');
      },
    };
    const queue = createEventQueue({ ...sender, send: answering() }, { storage });
    context.after(() => queue.close());
    const added = [1, 2].map((value) => queue.addPlayerEvent({ eventKey: 'jump', value }));
    const { stored, waiting } = await queue.flush();
    await Promise.all(added);
    assert.deepEqual({ stored, waiting }, { stored: 2, waiting: 0 });
  });

  test('with damaged entries does not delay the other events', async (context) => {
    const storage = memoryStorage();
    const before = createEventQueue(sender, { storage });
    await before.addPlayerEvent({ eventKey: 'jump' });
    await before.close();
    const [[key, entry]] = (await storage.list('', 1)) as [[string, string]];
    const [kind, owner, json] = JSON.parse(entry) as [string, string, string];
    const damaged = [
      [kind, owner, json.slice(1)],
      [kind, owner, 5],
      [kind, owner, 'null'],
      ['jump', owner, json],
    ];
    for (const [index, value] of damaged.entries())
      await storage.write({ [`${key.slice(0, -1)}-${index}`]: JSON.stringify(value) });
    const queue = createEventQueue({ ...sender, send: answering() }, { storage });
    context.after(() => queue.close());
    const { stored, waiting, error } = await queue.flush(AbortSignal.timeout(60_000));
    assert.deepEqual({ stored, waiting, error }, { stored: 1, waiting: 0, error: undefined });
  });

  test('that returns no promises keeps the events', async (context) => {
    const values = new Map<string, string>();
    const storage = {
      get: (key: string) => values.get(key),
      write: (changes: Record<string, string | undefined>) => {
        for (const [key, value] of Object.entries(changes))
          if (value === undefined) values.delete(key);
          else values.set(key, value);
      },
      list: (prefix: string, limit: number, after = '') =>
        [...values].filter(([key]) => key.startsWith(prefix) && key > after).slice(0, limit),
    } as unknown as ClientStorage;
    const queue = createEventQueue({ ...sender, send: answering() }, { storage });
    context.after(() => queue.close());
    await queue.addPlayerEvent({ eventKey: 'jump' });
    assert.equal(values.size, 1);
    const { stored, waiting } = await queue.flush();
    assert.deepEqual([stored, waiting, values.size], [1, 0, 0]);
  });

  test('is refused if it is no storage, with the way to create one', () => {
    const error = { name: 'TypeError', message: /await fileStorage\(path\)/ };
    for (const wrong of [Promise.resolve(memoryStorage()), memoryStorage, new Map(), 'events', null]) {
      const storage = wrong as unknown as ClientStorage;
      assert.throws(() => createEventQueue(sender, { storage }), error);
      const http = { baseUrl: sender.baseUrl, gameKey: 'gh_game_0' };
      assert.throws(() => createPlayerClient({ ...http, storage }), error);
    }
    assert.throws(() => createEventQueue(sender, {} as { storage: ClientStorage }), error);
    assert.throws(() => (createEventQueue as (of: typeof sender) => unknown)(sender), error);
  });
});

describe('the size of the queue', () => {
  test('is small by default in a small storage', async (context) => {
    const storage = { ...memoryStorage(), maxEventBytes: 600 };
    const reasons: string[] = [];
    const queue = createEventQueue(sender, { storage, onDropped: ({ reason }) => reasons.push(reason) });
    context.after(() => queue.close());
    await queue.addPlayerEvent({ eventKey: 'jump' });
    await assert.rejects(queue.addPlayerEvent({ eventKey: 'jump' }), { code: 'event_dropped' });
    assert.deepEqual(reasons, ['full']);
  });

  test('is 2 MiB by default in localStorage, so that two tabs leave room for the session', () => {
    assert.equal(localStorage().maxEventBytes, 2 * 1024 * 1024);
  });
});
