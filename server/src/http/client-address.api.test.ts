import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { arrangeTenant } from '../testing/arrange.ts';
import { loginDataOf } from '../testing/ledger-data.ts';
import { startTestApp } from '../testing/test-app.ts';
import { clientAddress } from './client-address.ts';
import { createHttpServer } from './server.ts';

const lines: string[] = [];
const warnings = (about = 'X-Forwarded-For') => lines.filter((line) => line.includes(about));
const app = await startTestApp({
  env: { TRUST_PROXY: '127.0.0.1,10.0.0.0/8,2001:db8:1::/48', LOG_LEVEL: 'warn' },
  log: (line) => lines.push(line),
});
const tenant = await arrangeTenant(app);

/** The address that the login ledger has for a login with an `X-Forwarded-For`. */
async function addressOf(forwardedFor: string): Promise<unknown> {
  const token = `mock:${randomBytes(6).toString('hex')}:secret`;
  const { status, text, body } = await app.http.post(
    '/api/player-auth/login',
    { provider: 'Mock', token },
    { gameKey: tenant.gameKey, headers: { 'x-forwarded-for': forwardedFor } },
  );
  assert.equal(status, 200, text);
  return (await loginDataOf(app, body.sessionId)).ipAddress;
}

describe('the address of a client behind trusted proxies', () => {
  test('has no port and no brackets', async () => {
    for (const [forwardedFor, address] of [
      ['203.0.113.7', '203.0.113.7'],
      ['203.0.113.7:51234', '203.0.113.7'],
      ['[2001:db8:2::7]:51234', '2001:db8:2::7'],
      ['[2001:db8:2::7]', '2001:db8:2::7'],
      ['2001:db8:2::7', '2001:db8:2::7'],
    ] as const)
      assert.equal(await addressOf(forwardedFor), address, forwardedFor);
  });

  test('is the last one that is no trusted proxy, even if entries have ports', async () => {
    for (const forwardedFor of [
      '203.0.113.7, 10.1.2.3',
      '203.0.113.7:51234, 10.1.2.3:443',
      '198.51.100.1:1, 203.0.113.7:51234, [2001:db8:1::9]:443, 10.1.2.3:443, [::ffff:10.0.0.1]:7',
    ])
      assert.equal(await addressOf(forwardedFor), '203.0.113.7', forwardedFor);
  });

  test('is unknown if the entry is no address, with one warning in the log', async () => {
    assert.equal(warnings().length, 0);
    for (const forwardedFor of ['unknown', '203.0.113.7:', '203.0.113.999:1', '_hidden'])
      assert.equal(await addressOf(forwardedFor), null, forwardedFor);
    assert.equal(warnings().length, 1);
    assert.equal(JSON.parse(warnings()[0]!).level, 40);
  });
});

describe('the address of a client behind a proxy that TRUST_PROXY does not name', () => {
  const send = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/api/player-auth/login`, { method: 'POST', headers });

  test('is the address of the proxy, with one warning in the log of each process', async () => {
    for (const TRUST_PROXY of ['off', '10.0.0.0/8']) {
      lines.length = 0;
      const { url } = await startTestApp({
        databaseUrl: app.databaseUrl,
        env: { TRUST_PROXY, LOG_LEVEL: 'warn' },
        log: (line) => lines.push(line),
      });
      await send(url, {});
      assert.deepEqual(lines, []);
      for (const forwardedFor of ['203.0.113.7', '203.0.113.8', '127.0.0.1'])
        await send(url, { 'x-forwarded-for': forwardedFor });
      assert.equal(warnings('A request from 127.0.0.1 has an X-Forwarded-For').length, 1, lines.join());
      assert.equal(lines.length, 1);
    }
  });

  test('gives no warning if the proxy is named, or if the sender has a public address', async () => {
    lines.length = 0;
    const logger = { level: 'warn', stream: { write: (line: string) => lines.push(line) } };
    const server = await createHttpServer({ logger, trustProxy: ['10.0.0.0/8'], corsOrigins: [] });
    after(() => server.close());
    server.get('/address', async (request) => clientAddress(request));
    for (const [remoteAddress, forwardedFor] of [
      ['10.0.0.1', '203.0.113.7'],
      ['10.0.0.1', '10.0.0.1'],
      ['10.0.0.1', undefined],
      ['9.9.9.9', '203.0.113.7'],
      ['2a00::1', '203.0.113.7'],
    ] as const)
      await server.inject({
        path: '/address',
        remoteAddress,
        headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
      });
    assert.deepEqual(lines, []);
    await server.inject({
      path: '/address',
      remoteAddress: '172.18.0.1',
      headers: { 'x-forwarded-for': '1.2.3.4' },
    });
    assert.equal(warnings('A request from 172.18.0.1').length, 1);
  });
});
