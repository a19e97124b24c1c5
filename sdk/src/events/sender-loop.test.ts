import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { GuildhallError, type Problem } from '../core/errors.ts';
import { memoryStorage } from '../storage/memory.ts';
import { createEventStore } from './event-store.ts';
import { ownerOf, type EventOwner } from './owners.ts';
import { createSenderLoop, type SenderState } from './sender-loop.ts';

const ada = { playerId: 'ada', tenantId: 'game', sessionId: '1' };
const grace = { playerId: 'grace', tenantId: 'game', sessionId: '2' };
const BATCH_AFTER_MS = 100;
const FIRST_MS = 1_000;

const failure = (code: string, status: number, rest: Problem & { retryAfter?: number } = {}) =>
  new GuildhallError({ ...rest, code, status });

/** A loop whose timers and answers the test controls. Pauses have their shortest length. */
function arrange(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  context.mock.method(Math, 'random', () => 0);
  const store = createEventStore(memoryStorage(), '');
  const player = {
    current: ada as EventOwner | undefined,
    load: async (): Promise<EventOwner | undefined> => player.current,
  };
  const requests: { size: number; succeed(): void; fail(error: Error): void }[] = [];
  const states: Partial<SenderState>[] = [];
  let looks = 0;
  let onLook = () => {};
  let onReport = () => {};
  const session = {
    get current() {
      return player.current;
    },
    load: () => player.load(),
    subscribe: () => () => {},
    onSessionEnded: () => () => {},
    serverTime: () => new Date(),
  };
  const loop = createSenderLoop(
    {
      baseUrl: '',
      session,
      send: (_method, _path, options) => {
        const { events } = JSON.parse(options!.body as string) as { events: unknown[] };
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        requests.push({ size: events.length, succeed: () => resolve({ records: events }), fail: reject });
        return promise;
      },
    },
    store,
    {
      batchEvents: 10,
      batchBytes: 10_000,
      batchAfterMs: BATCH_AFTER_MS,
      backOff: { firstMs: FIRST_MS, longestMs: 60_000 },
      owners: { of: (who) => new Set([ownerOf(who)]), learn: async () => true, reset: () => {} },
      sweep: { look: async () => (looks++, onLook()), schedule: () => {}, reset: () => {} },
      settle: (batch) => store.settle(batch),
      report: () => {
        states.push({ ...loop.state });
        onReport();
      },
    },
  );
  context.after(() => loop.close());
  const add = (who: EventOwner = ada) => store.add(store.create('player', ownerOf(who), '{}'));
  const tick = async (milliseconds = 0) => {
    context.mock.timers.tick(milliseconds);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
  };
  /** Ends the last request, and lets the loop react. */
  const answer = async (error?: Error) => {
    if (error) requests.at(-1)!.fail(error);
    else requests.at(-1)!.succeed();
    await tick();
  };
  return {
    loop,
    store,
    player,
    requests,
    states,
    add,
    tick,
    answer,
    get looks() {
      return looks;
    },
    whenLooked: (listener: () => void) => (onLook = listener),
    whenReported: (listener: () => void) => (onReport = listener),
  };
}

const isEnded = async (work: Promise<unknown>) => {
  let ended = false;
  void work.then(() => (ended = true));
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  return ended;
};

describe('the loop that sends events', () => {
  test('reports each change of its state', async (context) => {
    const { loop, states, add, tick, answer } = arrange(context);
    await add();
    loop.start();
    await tick();
    const error = failure('network_error', 0);
    await answer(error);
    await tick(FIRST_MS / 2);
    await answer();
    const idle = { isSending: false, waitingFor: undefined, error: undefined };
    assert.deepEqual(states, [
      { ...idle, isSending: true },
      { ...idle, error },
      { ...idle, error, waitingFor: 'network' },
      { ...idle, error, isSending: true },
      idle,
      idle,
    ]);
  });

  test('reports any other error as one of the network', async (context) => {
    const { loop, add, tick, answer } = arrange(context);
    await add();
    loop.start();
    await tick();
    await answer(new TypeError('of a storage'));
    assert.equal(loop.state.error?.code, 'network_error');
  });

  test('looks once when events had time to join, even if it is started before', async (context) => {
    const arranged = arrange(context);
    const { loop, tick } = arranged;
    for (const wait of [BATCH_AFTER_MS - 2, 1, 1]) {
      loop.startSoon();
      assert.equal(arranged.looks, 0);
      await tick(wait);
    }
    assert.equal(arranged.looks, 1);
    await tick(BATCH_AFTER_MS);
    assert.equal(arranged.looks, 1);
    loop.startSoon();
    loop.start();
    await tick();
    await tick(BATCH_AFTER_MS);
    assert.equal(arranged.looks, 2);
    loop.startSoon();
    await tick(BATCH_AFTER_MS);
    assert.equal(arranged.looks, 3);
    loop.wake();
    await tick();
    assert.equal(arranged.looks, 4);
  });

  test('sends an event that was added after its last look', async (context) => {
    const { loop, states, requests, add, tick, answer, whenReported } = arrange(context);
    await add();
    loop.start();
    await tick();
    whenReported(() => {
      if (states.length !== 3) return;
      void add();
      loop.start();
    });
    await answer();
    await tick(BATCH_AFTER_MS);
    assert.equal(requests.length, 2);
    await answer();
  });

  test('does not look again while the events wait for a sign-in', async (context) => {
    const arranged = arrange(context);
    const { loop, player, add, tick } = arranged;
    player.current = undefined;
    player.load = () => Promise.reject(new Error('The storage is blocked.'));
    await add();
    loop.start();
    for (let count = 0; count < 3; count++) await tick(BATCH_AFTER_MS);
    assert.deepEqual([arranged.looks, loop.state.waitingFor], [1, 'session']);
  });

  test('sends as many events as the plan has units left', async (context) => {
    const { loop, requests, add, tick, answer } = arrange(context);
    await Promise.all([add(), add(), add()]);
    loop.start();
    await tick();
    const quota = { limit: 10, used: 8, periodStart: '', periodEnd: '' };
    await answer(failure('quota_exceeded', 429, { quota }));
    assert.deepEqual(
      requests.map(({ size }) => size),
      [3, 2],
    );
    await answer();
    await answer();
  });

  test('sends fewer events after a timeout, until a success', async (context) => {
    const { loop, requests, add, tick, answer } = arrange(context);
    await Promise.all([add(), add(), add(), add()]);
    loop.start();
    await tick();
    await answer(failure('timeout', 0));
    await tick(FIRST_MS / 2);
    await answer(failure('timeout', 0));
    await tick(FIRST_MS);
    await answer();
    assert.deepEqual(
      requests.map(({ size }) => size),
      [4, 2, 1, 3],
    );
    await answer();
  });

  test('pauses longer after each failure in turn', async (context) => {
    const { loop, requests, add, tick, answer } = arrange(context);
    await add();
    loop.start();
    await tick();
    await answer(failure('network_error', 0));
    await tick(FIRST_MS / 2);
    await answer(failure('network_error', 0));
    await tick(FIRST_MS / 2);
    assert.equal(requests.length, 2);
    await tick(FIRST_MS / 2);
    await answer();
    await add();
    loop.start();
    await tick();
    await answer(failure('network_error', 0));
    await tick(FIRST_MS / 2);
    assert.equal(requests.length, 5, 'the success made the pause short again');
    await answer();
  });
});

test('a listener can end the pause when it begins', async (context) => {
  const { loop, requests, add, tick, answer, whenReported } = arrange(context);
  await add();
  loop.start();
  await tick();
  whenReported(() => {
    if (loop.state.waitingFor) loop.wake();
  });
  await answer(failure('network_error', 0));
  assert.equal(requests.length, 2);
  await answer();
});

describe('a refused session', () => {
  const refused = failure('invalid_token', 401);

  test('is not used again before a sign-in or the longest pause', async (context) => {
    const { loop, requests, add, tick, answer } = arrange(context);
    await add();
    loop.start();
    await tick();
    await answer(refused);
    await tick(59_999);
    assert.deepEqual([requests.length, loop.state.waitingFor], [1, 'session']);
    loop.wake();
    await tick();
    assert.equal(requests.length, 2);
    await answer(refused);
    await tick(59_999);
    assert.equal(requests.length, 2, 'it pauses again');
    await tick(1);
    await answer();
  });

  test('does not delay the events of the next player, but a rate limit does', async (context) => {
    const { loop, player, requests, add, tick, answer } = arrange(context);
    await Promise.all([add(ada), add(grace)]);
    loop.start();
    await tick();
    player.current = grace;
    await answer(refused);
    assert.equal(requests.length, 2);
    player.current = ada;
    await answer(failure('rate_limited', 429, { retryAfter: 5 }));
    assert.deepEqual([requests.length, loop.state.waitingFor], [2, 'rate_limit']);
    await tick(5_000);
    await answer();
  });
});

describe('flush', () => {
  test('sends the events of a player who signs in during a look into the storage', async (context) => {
    const { loop, player, requests, add, tick, answer, whenLooked } = arrange(context);
    player.current = undefined;
    await add(ada);
    whenLooked(() => {
      player.current = ada;
      loop.wake();
    });
    const flushed = loop.flush();
    await tick();
    assert.deepEqual([requests.length, await isEnded(flushed)], [1, false]);
    await answer();
    assert.deepEqual([await isEnded(flushed), loop.state.waitingFor], [true, undefined]);
  });

  test('ends with its signal, and when the loop is closed', async (context) => {
    const { loop, add, tick, answer } = arrange(context);
    await add();
    const signal = new AbortController();
    const [first, second] = [loop.flush(signal.signal), loop.flush()];
    await tick();
    await answer(failure('network_error', 0));
    assert.deepEqual([await isEnded(first), await isEnded(second)], [false, false]);
    signal.abort();
    assert.deepEqual([await isEnded(first), await isEnded(second)], [true, false]);
    assert.equal(await isEnded(loop.close()), true, 'it does not wait for the end of the pause');
    assert.equal(await isEnded(second), true);
  });
});

describe('a loop that is closed', () => {
  test('does not wait for the pause if a listener closes it when the pause begins', async (context) => {
    const { loop, add, tick, answer, whenReported } = arrange(context);
    await add();
    loop.start();
    await tick();
    let closing: Promise<void> | undefined;
    whenReported(() => {
      if (loop.state.waitingFor) closing ??= loop.close();
    });
    await answer(failure('network_error', 0));
    assert.equal(await isEnded(closing!), true);
  });

  test('waits for the request on its way, and for no pause after it', async (context) => {
    const { loop, requests, add, tick, answer } = arrange(context);
    await add();
    loop.start();
    await tick();
    const closing = loop.close();
    assert.equal(await isEnded(closing), false);
    await answer(failure('network_error', 0));
    assert.equal(await isEnded(closing), true);
    assert.equal(requests.length, 1);
  });

  test('keeps no timer, and looks and reports no more', async (context) => {
    const arranged = arrange(context);
    const { loop, states, add, tick } = arranged;
    await add();
    loop.startSoon();
    const cleared = context.mock.method(globalThis, 'clearTimeout');
    await loop.close();
    assert.notEqual(cleared.mock.calls[0]?.arguments[0], undefined);
    loop.start();
    loop.wake();
    await loop.flush();
    await tick(BATCH_AFTER_MS);
    assert.deepEqual([arranged.looks, states], [0, []]);
  });
});
