import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GuildhallError } from '../core/errors.ts';
import { followNotifications } from './notifications.ts';

test('waits after a refusal with a Retry-After that no timer can hold', async (context) => {
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
