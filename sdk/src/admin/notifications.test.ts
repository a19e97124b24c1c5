import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GuildhallError } from '../core/errors.ts';
import type { Send } from '../core/http.ts';
import { followNotifications } from './notifications.ts';

const session = { current: { id: 'ada' }, accessToken: async () => 'token', renew: async () => 'token' };
const note = (id: string) => `id: ${id}\nevent: notification\ndata: {"id":"${id}"}\n\n`;

test('waits after a refusal with a Retry-After that is too long for a timer', async (context) => {
  let requests = 0;
  const send = async () => {
    requests++;
    throw new GuildhallError({ code: 'rate_limited', status: 429, retryAfter: 30 * 86_400 });
  };
  const feed = followNotifications(send, session, { onNotification: () => {} });
  context.after(() => feed.close());
  await sleep(100);
  assert.equal(requests, 1);
});

test('continues after an error of onNotification', async (context) => {
  const uncaught: string[] = [];
  const { queueMicrotask } = globalThis;
  context.mock.method(globalThis, 'queueMicrotask', (task: () => void) =>
    queueMicrotask(() => {
      try {
        task();
      } catch (error) {
        uncaught.push(String(error));
      }
    }),
  );
  const send = async () => new Response(new Blob([note('1'), note('2')]));
  const seen: string[] = [];
  const last = Promise.withResolvers<void>();
  const feed = followNotifications(send, session, {
    after: '0',
    onNotification: ({ id }) => {
      seen.push(id);
      if (id === '2') last.resolve();
      if (id === '1') throw new Error('of the application');
    },
  });
  await last.promise;
  feed.close();
  assert.deepEqual(seen, ['1', '2']);
  assert.deepEqual(uncaught, ['Error: of the application']);
});

test('begins with the next notification of another account that signs in', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const changing = { ...session };
  const after: unknown[] = [];
  const send: Send = async (_method, path, options) => {
    if (path === '/api/notifications') return { items: [{ id: `newest of ${changing.current.id}` }] };
    after.push(options!.params!.header!['last-event-id']);
    return new Response(new Blob([note(`next of ${changing.current.id}`)]));
  };
  let waiting = Promise.withResolvers<void>();
  const feed = followNotifications(send, changing, {
    after: 'first of ada',
    onNotification: () => {},
    onState: (state) => {
      if (state === 'waiting') waiting.resolve();
    },
  });
  context.after(() => feed.close());
  for (const id of ['ada', 'grace', 'grace']) {
    await waiting.promise;
    waiting = Promise.withResolvers<void>();
    changing.current = { id };
    context.mock.timers.tick(2_000);
  }
  await waiting.promise;
  assert.deepEqual(after, ['first of ada', 'next of ada', 'newest of grace', 'next of grace']);
});
