import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GuildhallError } from '../core/errors.ts';
import { followNotifications } from './notifications.ts';

test('waits after a refusal with a Retry-After that is too long for a timer', async (context) => {
  let requests = 0;
  const send = async () => {
    requests++;
    throw new GuildhallError({ code: 'rate_limited', status: 429, retryAfter: 30 * 86_400 });
  };
  const session = { accessToken: async () => 'token', renew: async () => 'token' };
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
  const note = (id: string) => `id: ${id}\nevent: notification\ndata: {"id":"${id}"}\n\n`;
  const send = async () => new Response(new Blob([note('1'), note('2')]));
  const session = { accessToken: async () => 'token', renew: async () => 'token' };
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
