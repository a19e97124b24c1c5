import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { withoutCredential } from '../../../http/credentials/credential-scope.ts';
import { createHttpServer } from '../../../http/server.ts';
import { createRateLimits } from './index.ts';

/** Starts a server on which a network can send 10 requests in 10 seconds. */
async function serve() {
  const rateLimits = createRateLimits({
    keyless: { account: 1, network: 1 },
    metrics: new Registry(),
    logger: { warn: () => {} },
  });
  const app = await createHttpServer({ logger: false, trustProxy: true, corsOrigins: [] });
  after(() => app.close());
  await withoutCredential(app, rateLimits, [
    async (scope) => {
      scope.get('/counted', async () => ({}));
      scope.get('/free', { config: { cost: 0 } }, async () => ({}));
    },
  ]);
  return async (from: string, url = '/counted') => {
    const answer = await app.inject({ url, headers: { 'x-forwarded-for': from } });
    return { status: answer.statusCode, limit: answer.headers['ratelimit-limit'], text: answer.body };
  };
}

/** An address in one of the networks of 2001:db8:1::/48. */
const inNetwork = (network: number) => `2001:db8:1:${network.toString(16)}::1`;

describe('requests without a key from an IPv6 site', () => {
  test('are limited to those of eight networks', async () => {
    const send = await serve();
    for (let network = 0; network < 8; network++) {
      for (let request = 0; request < 10; request++)
        assert.deepEqual(await send(inNetwork(network)), { status: 200, limit: '10', text: '{}' });
      const refused = await send(inNetwork(network));
      assert.deepEqual([refused.status, refused.limit], [429, '10'], 'not counted for the site');
    }
    const refused = await send(inNetwork(8));
    assert.deepEqual([refused.status, refused.limit], [429, '80']);
    assert.match(refused.text, /The \/48 of this network may send 80 requests per 10 seconds/);
    assert.equal((await send(inNetwork(8), '/free')).status, 200);
    assert.equal((await send('2001:db8:2::1')).status, 200, 'another site');
  });
});
