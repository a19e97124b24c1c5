import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startStandIn } from '../testing/providers/stand-in.ts';
import { openOutboundClient } from './http-client.ts';
import { createOutboundProvider, createTenantProviders } from './provider.ts';

const client = openOutboundClient({ publicOnly: false });
after(() => client.close());
const unavailable = { code: 'provider_unavailable' };

describe('createOutboundProvider', () => {
  test('opens the circuit for 10 seconds after five consecutive failures, then tests the provider once', async () => {
    let nowMs = 0;
    const pass = (ms: number) => (nowMs += ms);
    const server = await startStandIn((_request, response) => response.end('{}'));
    const provider = createOutboundProvider('Provider', client, () => nowMs);
    server.fail('broken');
    for (let count = 0; count < 5; count++) await assert.rejects(provider.ask(server.url), unavailable);
    server.fail('never');
    await assert.rejects(provider.ask(server.url), unavailable);
    pass(9_999);
    await assert.rejects(provider.ask(server.url), unavailable);
    assert.equal(server.requests.length, 5, 'no request while the circuit is open');

    pass(1);
    assert.equal((await provider.ask(server.url)).status, 200);
    assert.equal((await provider.ask(server.url)).status, 200);
    assert.equal(server.requests.length, 7);

    server.fail('broken');
    for (let count = 0; count < 5; count++) await assert.rejects(provider.ask(server.url), unavailable);
    pass(10_000);
    await assert.rejects(provider.ask(server.url), unavailable);
    await assert.rejects(provider.ask(server.url), unavailable);
    assert.equal(server.requests.length, 13, 'one failed test opens the circuit again');
  });

  test('refuses the requests that arrive during the test, and sends none of them', async () => {
    let nowMs = 0;
    const server = await startStandIn((_request, response) => response.end('{}'));
    const provider = createOutboundProvider('Provider', client, () => nowMs);
    server.fail('broken');
    for (let count = 0; count < 5; count++) await assert.rejects(provider.ask(server.url), unavailable);
    nowMs += 10_000;
    server.fail('hang');
    const asked = Array.from({ length: 4 }, () => provider.ask(server.url, { withinMs: 200 }));
    await Promise.all(asked.map((one) => assert.rejects(one, unavailable)));
    assert.equal(server.requests.length, 6, 'one of them tests the provider');
  });

  test('resets the count of failures after a response, even after a 401', async () => {
    const server = await startStandIn((_request, response) => response.writeHead(401).end());
    const provider = createOutboundProvider('Provider', client);
    for (let round = 0; round < 3; round++) {
      server.fail('broken');
      for (let count = 0; count < 4; count++) await assert.rejects(provider.ask(server.url), unavailable);
      server.fail('never');
      assert.equal((await provider.ask(server.url)).status, 401);
    }
  });

  test('does not open the circuit after 429 responses', async () => {
    const server = await startStandIn((_request, response) => response.writeHead(429).end());
    const provider = createOutboundProvider('Provider', client);
    for (let count = 0; count < 8; count++) await assert.rejects(provider.ask(server.url), unavailable);
    assert.equal(server.requests.length, 8);
  });
});

describe('createTenantProviders', () => {
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
});
