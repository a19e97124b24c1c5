import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailQueue } from './send-mail.ts';
import { SEND_TIMEOUT_MS } from './smtp.ts';

test('a mail does not expire, and is not sent again, while it waits for another one to its address and is sent', () => {
  assert.ok(mailQueue.expireInSeconds * 1000 > 2 * SEND_TIMEOUT_MS);
});
