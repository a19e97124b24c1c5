import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { readCases, type ConformanceCase, type Step } from '../conformance/cases.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import {
  createEventQueue,
  createPlayerClient,
  memoryStorage,
  type ClientStorage,
  type EventContent,
  type EventQueue,
  type PlayerClient,
  type SentEvent,
} from '../src/index.ts';
import { arrangeGame, countEvents } from './game.ts';

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());

const SESSION_KEY = 'session';

/** A device with one storage and the clients of its tabs. A case tells it what to do. */
async function createDevice({ options = {} }: ConformanceCase) {
  const tenant = await arrangeGame(app);
  const stored = memoryStorage();
  const watching = new Set<() => void>();
  let isFull = false;
  const storage: ClientStorage = {
    ...stored,
    write: async (changes, onlyIf) => {
      const grows = Object.entries(changes).some(
        ([key, value]) => value !== undefined && key !== SESSION_KEY,
      );
      if (isFull && grows) throw new Error('The storage is full.');
      const isDone = await stored.write(changes, onlyIf);
      for (const listener of watching) listener();
      return isDone;
    },
    watch: (_key, listener) => {
      watching.add(listener);
      return () => watching.delete(listener);
    },
  };
  /** Work of a killed program must not reach the storage or the server. */
  let alive = new AbortController();
  const sent: Promise<Response>[] = [];
  let clients: PlayerClient[] = [];
  let queue: EventQueue;
  let eventNumber = 0;
  let accepted = 0;
  const faultsBefore = { ...proxy.faults };
  const username = randomUUID().slice(0, 8);
  const failures: string[] = [];
  const ended: string[] = [];
  const refused: number[] = [];
  const dropped: { reason: string; events: SentEvent[] }[] = [];
  const states = new Set<string>();

  function open(): void {
    alive = new AbortController();
    const { signal } = alive;
    const guarded: ClientStorage = {
      get: (key) => (signal.aborted ? new Promise(() => {}) : storage.get(key)),
      write: (changes, onlyIf) => (signal.aborted ? new Promise(() => {}) : storage.write(changes, onlyIf)),
      list: (prefix, limit, after) =>
        signal.aborted ? new Promise(() => {}) : storage.list(prefix, limit, after),
    };
    const client = createPlayerClient({
      baseUrl: proxy.url,
      gameKey: tenant.gameKey,
      storage: guarded,
      storageKey: SESSION_KEY,
      fetch: (...call) => {
        if (signal.aborted) return new Promise(() => {});
        const answer = fetch(...call);
        sent.push(answer);
        return answer;
      },
    });
    client.session.onSessionEnded(({ reason }) => ended.push(reason));
    clients = [client];
    const { maxAgeMs, ...limits } = options;
    queue = createEventQueue(client, {
      storage: guarded,
      batchEvents: 10,
      batchAfterMs: 20,
      adoptAfterMs: 0,
      backOff: { firstMs: 10, longestMs: 50 },
      ...limits,
      // The age counts from the restart, so that a case needs no waiting.
      ...(maxAgeMs !== undefined && eventNumber > 0 && { maxAgeMs }),
      onRefused: ({ statusCode }) => refused.push(statusCode),
      onDropped: (drop) => dropped.push(drop),
    });
    queue.subscribe(({ waitingFor }) => waitingFor && states.add(waitingFor));
  }

  const signIn = (player = username) =>
    clients[0]!.signIn.withProvider({ provider: 'Mock', token: `mock:${player}:secret` });

  async function changeSession(change: (session: Record<string, unknown>) => void): Promise<void> {
    const text = await stored.get(SESSION_KEY);
    if (!text) return;
    const session = JSON.parse(text) as Record<string, unknown>;
    change(session);
    await stored.write({ [SESSION_KEY]: JSON.stringify(session) });
    await reopenTabs(clients.length);
  }

  /** New clients with the same storage. The first keeps its queue, which looks into the storage too. */
  async function reopenTabs(count: number): Promise<void> {
    const waiting = queue.progress.waiting;
    if (waiting === 0) {
      await queue.close();
      open();
    }
    while (clients.length < count) {
      const client = createPlayerClient({
        baseUrl: proxy.url,
        gameKey: tenant.gameKey,
        storage,
        storageKey: SESSION_KEY,
      });
      client.session.onSessionEnded(({ reason }) => ended.push(reason));
      clients.push(client);
    }
    await Promise.all(clients.map(({ session }) => session.load()));
  }

  const call = async (client = clients[0]!): Promise<void> => {
    await client.profile.listDevices().then(
      () => accepted++,
      (error: unknown) => failures.push(String(error)),
    );
  };

  async function add({ count = 1, event = {} }: Step): Promise<void> {
    const { value, ...rest } = event as EventContent;
    const adding = Array.from({ length: count }, () =>
      queue
        .addPlayerEvent({
          eventKey: 'jump',
          value: value === undefined ? ++eventNumber : BigInt(value),
          ...rest,
        })
        .then(
          () => accepted++,
          () => undefined,
        ),
    );
    if (isFull) return;
    await Promise.all(adding);
  }

  const timeLimit = () => AbortSignal.timeout(120_000);

  const steps: Record<string, (step: Step) => unknown> = {
    signIn: ({ player }) => signIn(player === undefined ? username : `${username}-${player}`),
    signOut: () => clients[0]!.signOut(),
    expireToken: () => changeSession((session) => (session['expiresAt'] = Date.now() - 1)),
    spoilToken: () => changeSession((session) => (session['accessToken'] = 'expired')),
    endOnServer: async () => {
      const { sessionId } = (await clients[0]!.session.load())!;
      await app.http.post('/api/player-auth/logout', { sessionId }, { gameKey: tenant.gameKey });
    },
    call: ({ times = 1 }) => Promise.all(Array.from({ length: times }, () => call())),
    callAndKill: async () => {
      const before = proxy.faults['drop_answer'] ?? 0;
      void call();
      await eventually(() => (proxy.faults['drop_answer'] ?? 0) > before);
      alive.abort();
    },
    openTabs: ({ tabs = 1 }) => reopenTabs(tabs),
    callInTabs: () => Promise.all(clients.map((client) => call(client))),
    add,
    flush: async () => {
      await queue.flush(timeLimit());
    },
    flushUntil: async ({ state }) => {
      void queue.flush(timeLimit());
      await eventually(() => queue.progress.waitingFor === state);
    },
    kill: () => alive.abort(),
    restart: () => open(),
    faults: ({ faults = [] }) => proxy.plan(faults),
    awaitFault: ({ fault }) => eventually(() => (proxy.faults[fault!] ?? 0) > (faultsBefore[fault!] ?? 0)),
    // A request of the killed program may still be on its way.
    awaitQuiet: () => Promise.allSettled(sent),
    fillStorage: () => (isFull = true),
    expectProgress: ({ progress = {} }) => assertIncludes(queue.progress, progress),
    expectStored: async ({ stored }) =>
      assert.equal((await countEvents(app.owner, tenant.tenantId)).rows, stored),
  };

  open();
  await signIn();
  return {
    tenant,
    failures,
    ended,
    refused,
    dropped,
    states,
    get accepted() {
      return accepted;
    },
    get queue() {
      return queue;
    },
    isSignedIn: async () => (await clients[0]!.session.load()) !== undefined,
    run: async (step: Step) => {
      const action = steps[step.do];
      assert.ok(action, `the step ${step.do} exists`);
      await action(step);
    },
    close: async () => {
      alive.abort();
      void queue.close();
    },
  };
}

function assertIncludes(actual: object, expected: Record<string, unknown>): void {
  const known = actual as Record<string, unknown>;
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, known[name]])), expected);
}

async function runCase(one: ConformanceCase): Promise<void> {
  const { steps, faults = [], expect } = one;
  const device = await createDevice(one);
  proxy.requests.length = 0;
  proxy.plan(faults);
  const startedAt = performance.now();
  for (const step of steps) await device.run(step);
  const tookMs = performance.now() - startedAt;
  proxy.plan([]);

  const count = (name: string) => proxy.requests.filter((request) => request === name).length;
  if (expect.accepted !== undefined) assert.equal(device.accepted, expect.accepted, device.failures.join());
  for (const [name, times] of Object.entries(expect.requests ?? {})) assert.equal(count(name), times, name);
  if (expect.isSignedIn !== undefined) assert.equal(await device.isSignedIn(), expect.isSignedIn);
  if (expect.ended) assert.deepEqual(device.ended, expect.ended);
  if (expect.progress) assertIncludes(device.queue.progress, expect.progress);
  if (expect.refused) assert.deepEqual(device.refused, expect.refused);
  if (expect.atLeastMs) assert.ok(tookMs >= expect.atLeastMs, `${tookMs} ms`);
  for (const state of expect.states ?? []) assert.ok(device.states.has(state), state);
  const { rows } = await countEvents(app.owner, device.tenant.tenantId);
  if (expect.stored !== undefined) assert.equal(rows, expect.stored, 'stored');
  if (expect.droppedReason) {
    assert.deepEqual([...new Set(device.dropped.map(({ reason }) => reason))], [expect.droppedReason]);
    const lost = device.dropped.flatMap(({ events }) => events).length;
    assert.ok(lost > 0);
    assert.equal(rows + lost, expect.acceptedAndDropped);
  }
  if (expect.values) {
    const { rows: values } = await app.owner.query(
      'SELECT value::text FROM player_events WHERE tenant_id = $1 ORDER BY value',
      [device.tenant.tenantId],
    );
    assert.deepEqual(
      values.map(({ value }) => value),
      expect.values,
    );
  }
  await device.close();
}

for (const file of ['session.json', 'queue.json'])
  describe(`conformance/${file}`, () => {
    for (const one of readCases(file)) test(one.name, () => runCase(one));
  });
