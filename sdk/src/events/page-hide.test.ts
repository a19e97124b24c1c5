import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { RequestOptions, Send } from '../core/http.ts';
import type { EventKind } from './batch.ts';
import type { QueuedEvent } from './event-store.ts';
import { sendOnPageHide } from './page-hide.ts';

/** The parts of a browser's page that the queue uses. */
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
const NAMES = ['document', 'addEventListener', 'removeEventListener'] as const;
Object.assign(globalThis, {
  document: page,
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
});
after(() => NAMES.forEach((name) => Reflect.deleteProperty(globalThis, name)));
beforeEach(() => (page.visibilityState = 'visible'));

const hide = (event = 'visibilitychange') => {
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event(event));
};

const eventOf = (key: string, kind: EventKind = 'player', text = ''): QueuedEvent => ({
  key,
  kind,
  owner: 'game/ada',
  json: JSON.stringify({ idempotencyKey: key, text }),
  addedAt: 0,
  bytes: 0,
  state: 'saved',
});

/** A hidden page with these events, and a server that answers when the test says so. */
function arrange(...events: QueuedEvent[]) {
  const requests: { path: string; options: RequestOptions; keys: string[] }[] = [];
  const answers: PromiseWithResolvers<unknown>[] = [];
  const settled: string[][] = [];
  const room: Record<EventKind, number[]> = { player: [], match: [] };
  const send: Send = (_method, path, options = {}) => {
    const { events: sent } = JSON.parse(options.body as string) as { events: { idempotencyKey: string }[] };
    requests.push({ path, options, keys: sent.map(({ idempotencyKey }) => idempotencyKey) });
    const answer = Promise.withResolvers<unknown>();
    answers.push(answer);
    return answer.promise;
  };
  const stop = sendOnPageHide(send, {
    choose: (kind, mostBytes) => {
      room[kind].push(mostBytes);
      return { playerId: 'ada', batch: events.filter((event) => event.kind === kind) };
    },
    settle: async (batch) => void settled.push(batch.map(({ key }) => key)),
  });
  const answerAll = async () => {
    for (const [index, { keys }] of requests.entries()) answers[index]!.resolve({ records: keys });
    await setImmediate();
  };
  return { requests, answers, settled, room, stop, answerAll };
}

describe('a page that is hidden', () => {
  test('sends the events of each kind for their player, in requests that outlive it', async () => {
    const { requests, settled, stop, answerAll } = arrange(eventOf('a'), eventOf('b', 'match'));
    page.dispatchEvent(new Event('visibilitychange'));
    assert.equal(requests.length, 0, 'a visible page sends nothing');
    hide();
    assert.deepEqual(
      requests.map(({ path, keys, options }) => [path, keys, options.playerId, options.keepalive]),
      [
        ['/api/game/player-events', ['a'], 'ada', true],
        ['/api/game/events', ['b'], 'ada', true],
      ],
    );
    await answerAll();
    assert.deepEqual(settled, [['a'], ['b']]);
    stop();
  });

  test('sends no event twice at once, and again after a failure', async () => {
    const { requests, answers, settled, stop, answerAll } = arrange(eventOf('a'));
    hide();
    hide('pagehide');
    assert.equal(requests.length, 1);
    answers[0]!.reject(new Error('The network is down.'));
    await setImmediate();
    assert.deepEqual(settled, []);
    hide('pagehide');
    assert.equal(requests.length, 2);
    await answerAll();
    stop();
  });

  test('has 60 KiB for all requests that are on their way', async () => {
    const { requests, room, stop, answerAll } = arrange(eventOf('ä', 'player', 'é'.repeat(10_000)));
    hide();
    const size = new TextEncoder().encode(requests[0]!.options.body as string).length;
    assert.ok(size > 20_000);
    assert.deepEqual(room, { player: [60 * 1024], match: [60 * 1024 - size] });
    await answerAll();
    hide();
    assert.equal(room.player.at(-1), 60 * 1024, 'an answered request takes no room');
    await answerAll();
    stop();
  });

  test('sends nothing after its queue is closed', () => {
    const { requests, stop } = arrange(eventOf('a'));
    stop();
    hide();
    hide('pagehide');
    assert.equal(requests.length, 0);
  });
});
