import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { generateSecret, createSignatureHeaders } from './sign.ts';

describe('createSignatureHeaders', () => {
  test('creates the signature of the Standard Webhooks example', () => {
    const headers = createSignatureHeaders(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      '{"test": 2432232314}',
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    );
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('creates signatures that the Standard Webhooks library verifies with each secret', () => {
    const [old, current, other] = [generateSecret(), generateSecret(), generateSecret()];
    const body = JSON.stringify({ text: 'Grüße 🎲 \u2028 \0 "', empty: {} });
    const headers = createSignatureHeaders('id', Math.floor(Date.now() / 1000), body, [current, old]);
    for (const secret of [old, current]) new Webhook(secret).verify(body, headers);
    assert.throws(() => new Webhook(other).verify(body, headers), /No matching signature/);
    assert.throws(() => new Webhook(old).verify(`${body} `, headers), /No matching signature/);
    assert.notEqual(old, current);
  });
});
