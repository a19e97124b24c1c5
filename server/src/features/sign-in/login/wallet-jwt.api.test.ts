import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeProvider, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { startStandIn } from '../../../testing/providers/stand-in.ts';
import { startWalletIssuer, type WalletIssuer } from '../../../testing/providers/wallet-issuer.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp({ env: { ALLOW_PRIVATE_ADDRESSES: 'on', LOG_LEVEL: 'silent' } });
const wallet = await startWalletIssuer();

const arrangeWallet = async (issuer: WalletIssuer, settings: object = {}): Promise<TestTenant> => {
  const tenant = await arrangeTenant(app);
  const named = { issuer: issuer.issuer, audience: issuer.audience };
  await arrangeProvider(app, tenant, 'WalletJwt', { ...named, ...settings });
  return tenant;
};
const tenant = await arrangeWallet(wallet);
const neighbour = await arrangeWallet(wallet);

const logIn = (token: string, caller: object = tenant, { http } = app) =>
  http.post('/api/player-auth/login', { provider: 'WalletJwt', token }, caller);
const refusedWith = (answer: Answer, status: number, code: string, message?: string) =>
  assert.deepEqual([answer.status, answer.body.code], [status, code], message ?? answer.text);
async function methodOf(playerId: string) {
  const { rows } = await app.owner.query(
    'SELECT issuer, provider_user_id AS sub, wallet_address AS wallet FROM auth_methods WHERE player_id = $1',
    [playerId],
  );
  return rows[0];
}

let count = 0;
const somebody = () => `user-${++count}`;
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const OTHER_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

/** Builds a JWT from any header and claims, valid or malformed. */
function jwt(header: object, claims: unknown, signature: (signed: string) => Buffer | string): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${Buffer.from(signature(signed)).toString('base64url')}`;
}
const by = (key: KeyObject) => (signed: string) =>
  sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });

describe('POST /api/player-auth/login with WalletJwt', () => {
  test('identifies the player by issuer and subject', async () => {
    const sub = somebody();
    const first = await logIn(await wallet.tokenOf(sub));
    assert.deepEqual([first.status, first.body.isNewPlayer], [200, true], first.text);
    assert.deepEqual(await methodOf(first.body.playerId), { issuer: wallet.issuer, sub, wallet: null });
    for (const aud of [wallet.audience, [wallet.audience], ['another', wallet.audience]]) {
      const again = await logIn(await wallet.tokenOf(sub, { aud }), neighbour);
      assert.deepEqual([again.body.playerId, again.body.isNewPlayer], [first.body.playerId, false]);
    }
    const { rows } = await app.owner.query('SELECT auth_provider FROM login_ledger WHERE session_id = $1', [
      first.body.sessionId,
    ]);
    assert.deepEqual(rows, [{ auth_provider: 'wallet_jwt' }]);
  });

  test('accepts a token with one of several audiences, and returns 401 for another one', async () => {
    const game = await arrangeWallet(wallet, { audience: ['android', 'ios'] });
    const sub = somebody();
    for (const aud of ['android', 'ios', ['web', 'ios']]) {
      const answer = await logIn(await wallet.tokenOf(sub, { aud }), game);
      assert.equal(answer.status, 200, answer.text);
    }
    for (const aud of ['web', ['web', 'tv'], 'android,ios', wallet.audience])
      refusedWith(await logIn(await wallet.tokenOf(sub, { aud }), game), 401, 'invalid_credentials');
  });

  test('verifies keys of every asymmetric kind, with and without an OpenID configuration', async () => {
    for (const algorithm of ['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']) {
      const issuer = await startWalletIssuer({ algorithm, openId: algorithm.startsWith('E') });
      const answer = await logIn(await issuer.tokenOf('ada'), await arrangeWallet(issuer));
      assert.equal(answer.status, 200, `${algorithm}: ${answer.text}`);
    }
  });

  test('stores the checksummed wallet address, and updates it', async () => {
    const sub = somebody();
    const { playerId } = (await logIn(await wallet.tokenOf(sub, { wallet_address: ADDRESS.toLowerCase() })))
      .body;
    const address = async () => (await methodOf(playerId)).wallet;
    assert.equal(await address(), ADDRESS);
    await logIn(await wallet.tokenOf(sub));
    assert.equal(await address(), ADDRESS, 'a token without the claim changes nothing');
    for (const wallet_address of ['0x12', 'nobody.eth', '', 5, null, { formatted: ADDRESS }, [ADDRESS]]) {
      assert.equal((await logIn(await wallet.tokenOf(sub, { wallet_address }))).status, 200);
      assert.equal(await address(), ADDRESS, 'a claim without an address changes nothing');
    }
    await logIn(await wallet.tokenOf(sub, { wallet_address: OTHER_ADDRESS }), neighbour);
    assert.equal(await address(), OTHER_ADDRESS);
  });

  test('reads the address from the configured claim, or from the subject', async () => {
    const named = await arrangeWallet(wallet, { addressClaim: 'https://wallet.example/address' });
    const claims = { wallet_address: OTHER_ADDRESS, 'https://wallet.example/address': ADDRESS };
    const { playerId } = (await logIn(await wallet.tokenOf(somebody(), claims), named)).body;
    assert.equal((await methodOf(playerId)).wallet, ADDRESS);

    const sub = ADDRESS.toLowerCase();
    const bySubject = (await logIn(await wallet.tokenOf(sub))).body;
    assert.deepEqual(await methodOf(bySubject.playerId), { issuer: wallet.issuer, sub, wallet: ADDRESS });
    for (const addressClaim of ['__proto__', 'constructor', 'toString']) {
      const odd = await arrangeWallet(wallet, { addressClaim });
      assert.equal((await logIn(await wallet.tokenOf(somebody()), odd)).status, 200);
    }
  });

  test('returns 401 for forged, expired and misdirected tokens, with requests to the issuer only', async () => {
    const sub = 'victim';
    assert.equal((await logIn(await wallet.tokenOf(sub))).status, 200);
    const trap = await startStandIn((_request, response) => response.end('{}'));
    const { publicJwk } = wallet.keys[0]!;
    const { kid, alg } = publicJwk;
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: wallet.issuer, aud: wallet.audience, sub, iat: seconds, exp: seconds + 300 };
    const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const attackerJwk = attacker.publicKey.export({ format: 'jwk' });
    const forged = (header: object) => jwt({ alg, kid, ...header }, claims, by(attacker.privateKey));
    const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' });
    const secrets = [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(publicJwk),
    ];
    const good = await wallet.tokenOf(sub);
    const [head, body, signature] = good.split('.') as [string, string, string];
    const player = await arrangePlayer(app, tenant);

    const tokens: Record<string, string> = {
      ...Object.fromEntries(
        ['none', 'None', 'NONE', 'nOnE', 'nonE', ''].map((alg) => [
          `alg ${alg}`,
          jwt({ alg, kid }, claims, () => ''),
        ]),
      ),
      'alg none with a signature': jwt({ alg: 'none', kid }, claims, by(attacker.privateKey)),
      ...Object.fromEntries(
        secrets.flatMap((secret, index) =>
          ['256', '384', '512'].map((bits) => [
            `HS${bits} by the public key ${index}`,
            jwt({ alg: `HS${bits}`, kid }, claims, (signed) =>
              createHmac(`sha${bits}`, secret).update(signed).digest(),
            ),
          ]),
        ),
      ),
      'another key': forged({}),
      'a jwk in the header': forged({ jwk: attackerJwk }),
      'a jwk without kid': forged({ jwk: { ...attackerJwk, kid: 'mine' }, kid: 'mine' }),
      'a jku': forged({ jku: `${trap.url}/keys` }),
      'a jku and its kid': forged({ jku: `${trap.url}/keys`, kid: 'mine' }),
      'an x5u': forged({ x5u: `${trap.url}/certificate` }),
      'an x5c': forged({
        x5c: [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
      }),
      ...Object.fromEntries(
        [
          '../../../../dev/null',
          '/dev/null',
          `${trap.url}/keys`,
          "' OR '1'='1",
          "x'; DROP TABLE players; --",
          '',
          '__proto__',
          5,
          null,
          {},
          [kid],
          'x'.repeat(4000),
        ].map((kid) => [`kid ${JSON.stringify(kid).slice(0, 30)}`, forged({ kid })]),
      ),
      crit: forged({ crit: ['exp'], exp: 5 }),
      'crit of its own': forged({ crit: ['https://evil.example/x'], 'https://evil.example/x': true }),
      'b64 false': forged({ crit: ['b64'], b64: false }),
      'an algorithm of another kind': forged({ alg: 'RS256' }),
      'no algorithm': forged({ alg: undefined }),
      'wrong iss': await wallet.tokenOf(sub, { iss: 'https://wallet.example' }),
      'iss with a slash': await wallet.tokenOf(sub, { iss: `${wallet.issuer}/` }),
      'iss in a list': await wallet.tokenOf(sub, { iss: [wallet.issuer] as never }),
      'no iss': await wallet.tokenOf(sub, { iss: undefined as never }),
      'wrong aud': await wallet.tokenOf(sub, { aud: 'another-game' }),
      'aud in another letter case': await wallet.tokenOf(sub, { aud: wallet.audience.toUpperCase() }),
      'a list of aud without ours': await wallet.tokenOf(sub, { aud: ['another', 'a-gam'] }),
      'empty list of aud': await wallet.tokenOf(sub, { aud: [] }),
      'no aud': await wallet.tokenOf(sub, { aud: undefined as never }),
      expired: await wallet.tokenOf(sub, { exp: seconds - 31 }),
      'exp as text': await wallet.tokenOf(sub, { exp: String(seconds + 300) as never }),
      'no exp': await wallet.tokenOf(sub, { exp: undefined as never }),
      'not yet valid': await wallet.tokenOf(sub, { nbf: seconds + 60 }),
      'no sub': await wallet.tokenOf(undefined),
      'empty sub': await wallet.tokenOf(''),
      'sub as a number': await wallet.tokenOf(5 as never),
      'sub as a list': await wallet.tokenOf([sub] as never),
      'sub too long': await wallet.tokenOf('x'.repeat(256)),
      'sub with a NUL': await wallet.tokenOf(`${sub}\0`),
      'sub with half a surrogate pair': await wallet.tokenOf(`${sub}\ud83d`),
      'signature cut': good.slice(0, -4),
      'signature missing': `${head}.${body}.`,
      'two parts': `${head}.${body}`,
      'four parts': `${good}.${signature}`,
      'another subject under the signature': `${head}.${Buffer.from(
        JSON.stringify({ ...claims, sub: 'somebody' }),
      ).toString('base64url')}.${signature}`,
      'a list as claims': jwt({ alg, kid }, [claims], by(attacker.privateKey)),
      'not a token': 'wallet',
      dots: '../..',
      'an access token of ours': player.accessToken,
    };
    wallet.requests.length = 0;
    for (const [what, token] of Object.entries(tokens))
      refusedWith(await logIn(token), 401, 'invalid_credentials', what);
    assert.equal(trap.requests.length, 0);
    assert.deepEqual(wallet.requests, [], 'the keys are still cached');
    const { rows } = await app.owner.query(
      'SELECT count(*)::int FROM auth_methods WHERE provider_user_id = $1',
      [sub],
    );
    assert.deepEqual(rows, [{ count: 1 }]);
  });

  test('enforces exact limits, and allows clocks to differ by 30 seconds', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    for (const token of [
      await wallet.tokenOf('x'.repeat(255)),
      await wallet.tokenOf(somebody(), { exp: seconds - 10 }),
      await wallet.tokenOf(somebody(), { nbf: seconds + 10 }),
    ])
      assert.equal((await logIn(token)).status, 200);
  });

  test('prevents a tenant’s issuer from identifying players of another issuer', async () => {
    const sub = somebody();
    const victim = (await logIn(await wallet.tokenOf(sub))).body;
    const evil = await startWalletIssuer();
    const attacker = await arrangeWallet(evil);

    const own = (await logIn(await evil.tokenOf(sub), attacker)).body;
    assert.notEqual(own.playerId, victim.playerId, 'the same subject of another issuer is another player');
    refusedWith(
      await logIn(await evil.tokenOf(sub, { iss: wallet.issuer }), attacker),
      401,
      'invalid_credentials',
    );
    refusedWith(await logIn(await evil.tokenOf(sub, { iss: wallet.issuer })), 401, 'invalid_credentials');
    refusedWith(await logIn(await evil.tokenOf(sub)), 401, 'invalid_credentials');

    // An issuer with another name in its configuration is refused.
    const liar = await startWalletIssuer();
    liar.configuration = { issuer: wallet.issuer, jwks_uri: `${liar.url}/keys` };
    const misled = await arrangeWallet(liar);
    refusedWith(
      await logIn(await liar.tokenOf(sub, { iss: wallet.issuer }), misled),
      422,
      'provider_not_available',
    );

    // An issuer can claim any wallet address for its own players. The address identifies nobody.
    const claimed = await logIn(await evil.tokenOf(ADDRESS, { wallet_address: ADDRESS }), attacker);
    assert.equal(claimed.body.isNewPlayer, true);
  });

  test('creates one player and fetches the keys once for sixteen parallel first logins', async () => {
    const issuer = await startWalletIssuer();
    const fresh = await arrangeWallet(issuer);
    const token = await issuer.tokenOf('ada', { wallet_address: ADDRESS });
    const answers = await Promise.all(Array.from({ length: 16 }, () => logIn(token, fresh)));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(16).fill(200),
    );
    assert.equal(new Set(answers.map((answer) => answer.body.playerId)).size, 1);
    assert.equal(answers.filter((answer) => answer.body.isNewPlayer).length, 1);
    assert.equal((await methodOf(answers[0]!.body.playerId)).wallet, ADDRESS);
    assert.equal(issuer.timesRead(), 1);
  });

  test('creates a player explicitly once', async () => {
    const token = await wallet.tokenOf(somebody());
    const create = () => app.http.post('/api/player-auth/players', { provider: 'WalletJwt', token }, tenant);
    assert.equal((await create()).status, 201);
    refusedWith(await create(), 409, 'player_exists');
  });

  test('returns 502 when the issuer fails, is unavailable or sends malformed data', async () => {
    const bodies: [what: string, arrange: (issuer: WalletIssuer) => void][] = [
      ['broken', (issuer) => issuer.fail('broken')],
      ['a page for everything', (issuer) => issuer.fail('page')],
      ['half', (issuer) => issuer.fail('half')],
      ['no keys anywhere', (issuer) => issuer.fail({ status: 404, body: '' })],
      [
        'malformed keys',
        (issuer) => (issuer.configuration = { issuer: issuer.url, jwks_uri: `${issuer.url}/` }),
      ],
      ['no jwks_uri', (issuer) => (issuer.configuration = { issuer: issuer.url })],
      [
        'a malformed jwks_uri',
        (issuer) => (issuer.configuration = { issuer: issuer.url, jwks_uri: 'file:///etc/passwd' }),
      ],
      ['keys of the wrong shape', (issuer) => issuer.fail({ status: 200, body: '{"keys":{}}' })],
      ['a key that is none', (issuer) => (issuer.keys[0]!.publicJwk.x = 'AAAA')],
      ['a private key', (issuer) => (issuer.keys[0]!.publicJwk.d = issuer.keys[0]!.publicJwk.x!)],
      ['too many keys', (issuer) => (issuer.keys[0]!.publicJwk.x5u = 'x'.repeat(65_536))],
    ];
    for (const [what, arrange] of bodies) {
      const issuer = await startWalletIssuer();
      const tenant = await arrangeWallet(issuer);
      const token = await issuer.tokenOf('ada');
      arrange(issuer);
      refusedWith(await logIn(token, tenant), 502, 'provider_unavailable', what);
    }
  });

  test('returns 422 for a token of an RSA key of more than 4,096 bits, and 200 for one of another key', async () => {
    const issuer = await startWalletIssuer({ algorithm: 'RS256' });
    const token = await issuer.tokenOf('ada');
    issuer.keys[0]!.publicJwk.n = Buffer.alloc(2048, 0xff).toString('base64url');
    await issuer.rotate();
    const tenant = await arrangeWallet(issuer);
    refusedWith(await logIn(token, tenant), 422, 'provider_not_available');
    assert.equal((await logIn(await issuer.tokenOf('ada'), tenant)).status, 200);
  });

  test('falls back to the usual path of keys when the configuration is invalid', async () => {
    for (const configuration of [{}, { issuer: 5 }]) {
      const issuer = await startWalletIssuer({ openId: false });
      const proxy = await startStandIn((url, response) => {
        if (url.pathname.endsWith('openid-configuration')) return response.end(JSON.stringify(configuration));
        response.end(JSON.stringify({ keys: issuer.keys.map(({ publicJwk }) => publicJwk) }));
      });
      const named = await arrangeWallet(issuer, { issuer: `${proxy.url}/wallet/` });
      const token = await issuer.tokenOf('ada', { iss: `${proxy.url}/wallet/` });
      assert.equal((await logIn(token, named)).status, 200);
      assert.deepEqual(
        proxy.requests.map(({ url }) => url.pathname),
        ['/wallet/.well-known/openid-configuration', '/wallet/.well-known/jwks.json'],
      );
    }
  });

  test('sends no request to a stored issuer when private addresses are not allowed', async () => {
    const strict = await startTestApp({ databaseUrl: app.databaseUrl });
    const issuer = await startWalletIssuer();
    const before = await arrangeWallet(issuer);
    refusedWith(await logIn(await issuer.tokenOf('ada'), before, strict), 422, 'provider_not_available');
    assert.equal(issuer.requests.length, 0);
  });
});
