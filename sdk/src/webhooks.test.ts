import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const BODY = '{"type":"alert.rate_spike","timestamp":"2026-05-01T12:00:42.130Z","data":{"name":"Zoë"}}';

/** Signs with the library of Standard Webhooks, as a sender does. */
function signed({ body = BODY, secret = SECRET, id = 'msg_1', at = new Date() } = {}) {
  return {
    body,
    headers: {
      'Webhook-Id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
  };
}

const refuses = (delivery: Parameters<typeof verifyWebhook>[0], options = {}) =>
  assert.rejects(verifyWebhook(delivery, SECRET, options), WebhookVerificationError);

describe('verifyWebhook', () => {
  test('returns the event of a signed delivery, from text, bytes and any kind of headers', async () => {
    const event = { ...JSON.parse(BODY), id: 'msg_1' };
    const { headers } = signed();
    assert.deepEqual(await verifyWebhook(signed(), SECRET), event);
    assert.deepEqual(
      await verifyWebhook({ body: Buffer.from(BODY), headers: new Headers(headers) }, SECRET),
      event,
    );
    // The headers of a library that has a class of its own.
    const library = { get: (name: string) => new Headers(headers).get(name) } as Headers;
    assert.deepEqual(await verifyWebhook({ body: BODY, headers: library }, SECRET), event);
  });

  test('says what is wrong with a parsed body and a missing secret', async () => {
    const { body, headers } = signed();
    const parsed = JSON.parse(body) as string;
    await assert.rejects(verifyWebhook({ body: parsed, headers }, SECRET), {
      name: 'TypeError',
      message: /before any parser/,
    });
    for (const secret of [undefined as unknown as string, []])
      await assert.rejects(verifyWebhook({ body, headers }, secret), {
        name: 'TypeError',
        message: /whsec_/,
      });
  });

  test('does not accept a delivery of any age if the tolerance or the time is no number', async () => {
    const old = signed({ at: new Date(0) });
    for (const options of [{ toleranceSeconds: NaN }, { toleranceSeconds: -1 }, { now: new Date(NaN) }])
      await assert.rejects(verifyWebhook(old, SECRET, options), { name: 'TypeError' });
  });

  test('refuses a changed body, id or timestamp, and another secret', async () => {
    const { headers } = signed();
    await refuses({ body: BODY.replace('rate', 'fate'), headers });
    await refuses({ body: BODY, headers: { ...headers, 'Webhook-Id': 'msg_2' } });
    await refuses({
      body: BODY,
      headers: { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 1) },
    });
    await refuses(signed({ secret: `whsec_${randomBytes(24).toString('base64')}` }));
  });

  test('refuses a delivery that is 301 seconds old or early, and accepts 299', async () => {
    const now = new Date();
    const at = (seconds: number) => signed({ at: new Date(now.getTime() + seconds * 1000) });
    for (const seconds of [-299, 299]) assert.ok(await verifyWebhook(at(seconds), SECRET, { now }));
    for (const seconds of [-302, 302]) await refuses(at(seconds), { now });
  });

  test('accepts any of several signatures and secrets', async () => {
    const { body, headers } = signed();
    const several = {
      ...headers,
      'webhook-signature': `v1,${'A'.repeat(44)} v2,x ${headers['webhook-signature']}`,
    };
    assert.ok(await verifyWebhook({ body, headers: several }, SECRET));
    assert.ok(
      await verifyWebhook({ body, headers }, [`whsec_${randomBytes(24).toString('base64')}`, SECRET]),
    );
  });

  test('refuses missing headers, malformed signatures and a body that is not JSON', async () => {
    const { body, headers } = signed();
    for (const name of Object.keys(headers))
      await refuses({ body, headers: { ...headers, [name]: undefined } });
    for (const signature of [
      '',
      'v1',
      'v1,',
      'v1,%%',
      'v1a,x',
      'K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ])
      await refuses({ body, headers: { ...headers, 'webhook-signature': signature } });
    for (const timestamp of ['soon', '', '-1', '1e9', 'NaN'])
      await refuses({ body, headers: { ...headers, 'webhook-timestamp': timestamp } });
    await refuses(signed({ body: 'not JSON' }));
    await assert.rejects(verifyWebhook(signed(), 'whsec_%'), TypeError);
  });
});
