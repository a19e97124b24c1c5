import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { errors, exportJWK, type JWK, type JWSHeaderParameters } from 'jose';
import { openOutboundClient, type OutboundClient } from '../../../../outbound/http-client.ts';
import { startWalletIssuer, type WalletIssuer } from '../../../../testing/providers/wallet-issuer.ts';
import { createIssuerKeys } from './issuer-keys.ts';

const client = openOutboundClient({ publicOnly: false });
after(() => client.close());
let nowMs = 0;
const pass = (ms: number) => (nowMs += ms);

const MINUTE = 60_000;
const open = () => createIssuerKeys(client, { allowPrivateAddresses: true }, () => nowMs);
const headerOf = (issuer: WalletIssuer, index = -1) => {
  const { kid, alg } = issuer.keys.at(index)!.publicJwk;
  return { kid, alg } as JWSHeaderParameters;
};
const unknown = (error: unknown) => error instanceof errors.JWKSNoMatchingKey;
const unavailable = { code: 'provider_unavailable' };

describe('createIssuerKeys', () => {
  test('fetches the keys once an hour', async () => {
    const issuer = await startWalletIssuer();
    const keys = open();
    for (let count = 0; count < 3; count++)
      assert.ok(await keys.find('tenant', issuer.url, headerOf(issuer)));
    pass(60 * MINUTE - 1);
    await keys.find('tenant', issuer.url, headerOf(issuer));
    assert.equal(issuer.timesRead(), 1);
    pass(1);
    await Promise.all(Array.from({ length: 8 }, () => keys.find('tenant', issuer.url, headerOf(issuer))));
    assert.equal(issuer.timesRead(), 2);
  });

  test('refuses a removed key after an hour at the latest', async () => {
    const issuer = await startWalletIssuer();
    const keys = open();
    const old = headerOf(issuer);
    await keys.find('tenant', issuer.url, old);
    issuer.keys.pop();
    await issuer.rotate();
    assert.ok(await keys.find('tenant', issuer.url, old));
    pass(60 * MINUTE);
    await assert.rejects(keys.find('tenant', issuer.url, old), unknown);
  });

  test('finds a new key at once, but fetches at most every 30 seconds for unknown keys', async () => {
    const issuer = await startWalletIssuer();
    const keys = open();
    await keys.find('tenant', issuer.url, headerOf(issuer));
    pass(30_000);
    await issuer.rotate();
    await Promise.all(Array.from({ length: 8 }, () => keys.find('tenant', issuer.url, headerOf(issuer))));
    assert.ok(await keys.find('tenant', issuer.url, headerOf(issuer, 0)), 'the old one still works');
    assert.equal(issuer.timesRead(), 2);
    await assert.rejects(
      keys.find('tenant', issuer.url, { alg: headerOf(issuer).alg! }),
      errors.JWKSMultipleMatchingKeys,
      'a token that does not name its key',
    );

    const forged = { alg: 'ES256', kid: 'forged' };
    for (let second = 0; second < 60; second++) {
      await Promise.all(
        [1, 2, 3].map(() => assert.rejects(keys.find('tenant', issuer.url, forged), unknown)),
      );
      pass(1000);
    }
    assert.equal(issuer.timesRead(), 3);
  });

  test('uses cached keys for a day when the issuer is unavailable, and throws provider_unavailable for unknown keys', async () => {
    const issuer = await startWalletIssuer();
    const keys = open();
    await keys.find('tenant', issuer.url, headerOf(issuer));
    issuer.fail('broken');
    for (let hour = 1; hour < 24; hour++) {
      pass(60 * MINUTE);
      assert.ok(await keys.find('tenant', issuer.url, headerOf(issuer)));
      await assert.rejects(keys.find('tenant', issuer.url, { alg: 'ES256', kid: 'new' }), unavailable);
    }
    assert.equal(issuer.requests.length, 2 + 23, 'one fetch per hour');
    pass(60 * MINUTE);
    await assert.rejects(keys.find('tenant', issuer.url, headerOf(issuer)), unavailable);
    issuer.fail('never');
    pass(30_000);
    assert.ok(await keys.find('tenant', issuer.url, headerOf(issuer)));
  });

  test('fetches at most every five seconds, per issuer, when no keys are cached', async () => {
    const [issuer, other] = [await startWalletIssuer(), await startWalletIssuer()];
    const keys = open();
    issuer.fail('broken');
    const ask = () => keys.find('tenant', issuer.url, headerOf(issuer));
    await Promise.all([1, 2, 3].map(() => assert.rejects(ask(), unavailable)));
    await assert.rejects(ask(), unavailable);
    assert.equal(issuer.requests.length, 1);
    for (let count = 1; count < 5; count++) {
      pass(5000);
      await assert.rejects(ask(), unavailable);
    }
    assert.equal(issuer.requests.length, 5);
    pass(5000);
    issuer.fail('never');
    await assert.rejects(ask(), unavailable);
    assert.equal(issuer.requests.length, 5, 'no request for ten seconds after five failures');
    assert.ok(await keys.find('tenant', other.url, headerOf(other)), 'the other issuer is not affected');
    pass(5000);
    assert.ok(await ask());
  });

  test('refuses http and private addresses from the issuer and its configuration', async () => {
    const asked: string[] = [];
    let jwksUri = '';
    const fake: OutboundClient = {
      async send(url) {
        asked.push(url);
        const text = JSON.stringify({ issuer: 'https://wallet.example', jwks_uri: jwksUri });
        return { status: 200, headers: {}, text };
      },
      close: async () => {},
    };
    const find = (issuer: string) =>
      createIssuerKeys(fake, { allowPrivateAddresses: false }).find('tenant', issuer, { alg: 'ES256' });
    for (const issuer of ['http://wallet.example', 'https://127.0.0.1', 'https://[::1]', 'file:///keys', 'x'])
      await assert.rejects(find(issuer), { code: 'provider_not_available' });
    assert.deepEqual(asked, []);
    for (jwksUri of [
      'http://wallet.example/keys',
      'https://169.254.169.254/keys',
      'https://ada:secret@wallet.example/keys',
      '/keys',
    ])
      await assert.rejects(find('https://wallet.example'), unavailable, jwksUri);
    assert.deepEqual(new Set(asked), new Set(['https://wallet.example/.well-known/openid-configuration']));
  });

  test('counts the fetches of each tenant separately', async () => {
    const issuer = await startWalletIssuer();
    const keys = createIssuerKeys(client, { allowPrivateAddresses: true }, () => nowMs);
    for (const tenant of ['one', 'another']) await keys.find(tenant, issuer.url, headerOf(issuer));
    pass(30_000);
    const forged = { alg: 'ES256', kid: 'made up' };
    await assert.rejects(keys.find('one', issuer.url, forged), unknown);
    await issuer.rotate();
    await assert.rejects(keys.find('one', issuer.url, headerOf(issuer)), unknown);
    assert.ok(await keys.find('another', issuer.url, headerOf(issuer)));
  });

  test('refuses RSA keys that take long to verify, and finds the other keys of the set', async () => {
    const issuer = await startWalletIssuer({ algorithm: 'RS256' });
    await issuer.rotate();
    const { publicJwk } = issuer.keys[0]!;
    const find = async (change: Partial<JWK>) => {
      Object.assign(publicJwk, change);
      const keys = open();
      assert.ok(await keys.find('tenant', issuer.url, headerOf(issuer)), 'the other key');
      return keys.find('tenant', issuer.url, headerOf(issuer, 0));
    };
    const number = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');
    const allowed = { n: number('ff'.repeat(512)), e: number('ffffffff') };
    assert.ok(await find(allowed), '4,096 bits and the exponent 2^32 - 1');
    const refused = { code: 'provider_not_available', message: /4,096 bits/ };
    await assert.rejects(find({ ...allowed, n: number(`01${'ff'.repeat(512)}`) }), refused);
    await assert.rejects(find({ ...allowed, e: number('0100000001') }), refused);
  });

  test('refuses a set with a private key at once, because to import one takes long', async () => {
    const issuer = await startWalletIssuer({ algorithm: 'ES512' });
    const { publicJwk, privateKey } = issuer.keys[0]!;
    Object.assign(publicJwk, await exportJWK(privateKey));
    await issuer.rotate();
    await assert.rejects(open().find('tenant', issuer.url, headerOf(issuer)), unavailable);
  });
});
