import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeTenant } from '../testing/arrange.ts';
import { loginDataOf } from '../testing/ledger-data.ts';
import { startTestApp } from '../testing/test-app.ts';

const lines: string[] = [];
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
    const warnings = () => lines.filter((line) => line.includes('X-Forwarded-For'));
    assert.equal(warnings().length, 0);
    for (const forwardedFor of ['unknown', '203.0.113.7:', '203.0.113.999:1', '_hidden'])
      assert.equal(await addressOf(forwardedFor), null, forwardedFor);
    assert.equal(warnings().length, 1);
    assert.equal(JSON.parse(warnings()[0]!).level, 40);
  });
});
