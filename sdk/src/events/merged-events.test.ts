import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GuildhallError } from '../core/errors.ts';
import { memoryStorage } from '../storage/memory.ts';
import { createEventQueue } from './queue.ts';
import type { EventSender } from './sender-loop.ts';

const DAY_MS = 86_400_000;
const player = { playerId: 'a', tenantId: 'b', sessionId: 'c' };
const other = { ...player, playerId: 'other' };

const ofPlayer = (current: typeof player, send: EventSender['send']): EventSender => ({
  baseUrl: 'https://api.example',
  send,
  session: {
    current,
    load: async () => current,
    subscribe: () => () => {},
    onSessionEnded: () => () => {},
    serverTime: () => new Date(),
  },
});
const unreachable: EventSender['send'] = () =>
  Promise.reject(new GuildhallError({ code: 'network_error', status: 0 }));

describe('events of a profile that was merged into another', () => {
  /** Refuses the events of players whom the player did not absorb, and counts the questions for the profile. */
  function mergingServer(playerId: string) {
    const server = { merged: [] as string[], questions: 0, sent: [] as string[], isDown: false };
    const send = (async (_method, path, options) => {
      if (path === '/api/player-profile/me') {
        server.questions++;
        if (server.isDown) throw new GuildhallError({ code: 'network_error', status: 0 });
        return { mergedProfileIds: server.merged };
      }
      const { events } = JSON.parse(options!.body as string) as { events: { playerId: string }[] };
      for (const event of events)
        assert.ok([playerId, ...server.merged].includes(event.playerId), `of ${event.playerId}`);
      server.sent.push(...events.map((event) => event.playerId));
      return { records: events };
    }) as EventSender['send'];
    return { server, send };
  }

  /** A storage with an event of each of these players, whom no server answered. */
  async function storageWith(...players: (typeof player)[]) {
    const storage = memoryStorage();
    for (const each of players) {
      const queue = createEventQueue(ofPlayer(each, unreachable), { storage });
      await queue.addPlayerEvent({ eventKey: 'jump' });
      await queue.close();
    }
    return storage;
  }

  test('are sent by the player who absorbed it, and no others', async (context) => {
    const stranger = { ...player, playerId: 'stranger' };
    const elsewhere = { ...player, tenantId: 'elsewhere' };
    const storage = await storageWith(player, stranger, elsewhere, player);
    const { server, send } = mergingServer(other.playerId);
    server.merged = [player.playerId];
    const queue = createEventQueue(ofPlayer(other, send), { storage });
    context.after(() => queue.close());
    await queue.addPlayerEvent({ eventKey: 'jump' });
    assert.equal((await queue.flush()).stored, 3);
    assert.deepEqual(server.sent.toSorted(), ['a', 'a', other.playerId].toSorted());
    assert.equal((await storage.list('', 10)).length, 2, 'the others wait');
  });

  test('are sent after the next sign-in, if the queue was open', async (context) => {
    let current: typeof player | undefined = player;
    const listeners: ((who: typeof player | undefined) => void)[] = [];
    const { server, send } = mergingServer(other.playerId);
    const of = ofPlayer(player, send);
    const ended = () => Promise.reject(new GuildhallError({ code: 'invalid_token', status: 401 }));
    const queue = createEventQueue(
      {
        ...of,
        send: (...call) => (current?.playerId === other.playerId ? send(...call) : ended()),
        session: {
          ...of.session,
          get current() {
            return current;
          },
          load: async () => current,
          subscribe: (listener) => {
            listeners.push(listener);
            return () => {};
          },
        },
      },
      { storage: memoryStorage() },
    );
    context.after(() => queue.close());
    await queue.addPlayerEvent({ eventKey: 'jump' });
    current = undefined;
    assert.equal((await queue.flush()).waitingFor, 'session');
    server.merged = [player.playerId];
    current = other;
    for (const listener of listeners) listener(other);
    assert.equal((await queue.flush()).stored, 1);
    assert.deepEqual(server.sent, [player.playerId]);
  });

  test('are sent within 5 minutes if the session continues', async (context) => {
    context.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
    const storage = await storageWith(player);
    const { server, send } = mergingServer(other.playerId);
    const queue = createEventQueue(ofPlayer(other, send), { storage });
    context.after(() => queue.close());
    for (let minute = 0; minute < 5; minute++) {
      assert.equal((await queue.flush()).stored, 0);
      server.merged = [player.playerId];
      context.mock.timers.tick(60_000);
    }
    assert.equal(server.questions, 1);
    assert.equal((await queue.flush()).stored, 1);
    await queue.flush();
    assert.equal(server.questions, 2, 'no event waits for an answer');
  });

  test('are not dropped for their age before the server answered', async (context) => {
    context.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
    const storage = await storageWith(player, other);
    context.mock.timers.tick(31 * DAY_MS);
    const { server, send } = mergingServer(other.playerId);
    server.merged = [player.playerId];
    server.isDown = true;
    const queue = createEventQueue(ofPlayer(other, send), { storage, onDropped: () => {} });
    context.after(() => queue.close());
    assert.equal((await queue.flush()).stored, 1, 'the events of the player do not wait for this answer');
    server.isDown = false;
    context.mock.timers.tick(60_000);
    const { stored, dropped } = await queue.flush();
    assert.deepEqual({ stored, dropped }, { stored: 2, dropped: 0 });
  });

  test('cause no request if only the player has events', async (context) => {
    const storage = await storageWith(other, { ...player, tenantId: 'elsewhere' });
    const { server, send } = mergingServer(other.playerId);
    const queue = createEventQueue(ofPlayer(other, send), { storage });
    context.after(() => queue.close());
    assert.equal((await queue.flush()).stored, 1);
    assert.equal(server.questions, 0);
  });
});
