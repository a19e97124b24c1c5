import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { startStandIn } from '../testing/providers/stand-in.ts';
import { openOutboundClient } from './http-client.ts';
import { createOutboundProvider, createTenantProviders } from './provider.ts';

const client = openOutboundClient({ publicOnly: false });
after(() => client.close());
const unavailable = { code: 'provider_unavailable' };

test('after five failures in a row a provider is left alone for ten seconds, then tried once', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const server = await startStandIn((_request, response) => response.end('{}'));
  const provider = createOutboundProvider('Provider', client);
  server.fail('broken');
  for (let count = 0; count < 5; count++) await assert.rejects(provider.ask(server.url), unavailable);
  server.fail('never');
  await assert.rejects(provider.ask(server.url), unavailable);
  mock.timers.tick(9_999);
  await assert.rejects(provider.ask(server.url), unavailable);
  assert.equal(server.requests.length, 5, 'it was not asked again');

  mock.timers.tick(1);
  assert.equal((await provider.ask(server.url)).status, 200);
  assert.equal((await provider.ask(server.url)).status, 200);
  assert.equal(server.requests.length, 7);

  server.fail('broken');
  for (let count = 0; count < 5; count++) await assert.rejects(provider.ask(server.url), unavailable);
  mock.timers.tick(10_000);
  await assert.rejects(provider.ask(server.url), unavailable);
  await assert.rejects(provider.ask(server.url), unavailable);
  assert.equal(server.requests.length, 13, 'one try that fails leaves it alone again');
  mock.timers.reset();
});

test('an answer between failures begins the count anew, and refusals are answers', async () => {
  const server = await startStandIn((_request, response) => response.writeHead(401).end());
  const provider = createOutboundProvider('Provider', client);
  for (let round = 0; round < 3; round++) {
    server.fail('broken');
    for (let count = 0; count < 4; count++) await assert.rejects(provider.ask(server.url), unavailable);
    server.fail('never');
    assert.equal((await provider.ask(server.url)).status, 401);
  }
});

test('a provider that wants fewer requests is unavailable, but not left alone', async () => {
  const server = await startStandIn((_request, response) => response.writeHead(429).end());
  const provider = createOutboundProvider('Provider', client);
  for (let count = 0; count < 8; count++) await assert.rejects(provider.ask(server.url), unavailable);
  assert.equal(server.requests.length, 8);
});

test('keeps a circuit breaker for each tenant', async () => {
  const server = await startStandIn((_request, response) => response.end('{}'));
  const providerOf = createTenantProviders('Provider', client);
  server.fail('broken');
  for (let count = 0; count < 6; count++)
    await assert.rejects(providerOf('one').ask(server.url), unavailable);
  assert.equal(server.requests.length, 5, 'the breaker of the one is open');
  server.fail('never');
  await assert.rejects(providerOf('one').ask(server.url), unavailable);
  assert.equal((await providerOf('another').ask(server.url)).status, 200);
});
