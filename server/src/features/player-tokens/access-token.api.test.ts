import assert from 'node:assert/strict';
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { test } from 'node:test';
import type { JWK } from 'jose';
import { openVault } from '../../security/vault.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { startTestApp, TEST_MASTER_KEY } from '../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const player = await arrangePlayer(app, tenant);
const jwks: { keys: JWK[] } = (await app.http.get('/.well-known/jwks.json')).body;
const published = jwks.keys[0] as JWK & { kid: string };

/** The deployment's own private key, as a thief would have it: for tokens whose one fault is not the signature. */
const signingKey = await (async () => {
  const { rows } = await app.owner.query('SELECT private_jwk FROM signing_keys WHERE kid = $1', [
    published.kid,
  ]);
  const vault = openVault(Buffer.from(TEST_MASTER_KEY, 'hex'));
  return createPrivateKey({ key: JSON.parse(vault.open(rows[0].private_jwk, 'signing key')), format: 'jwk' });
})();

const part = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = part(player.accessToken, 1);
const header = { alg: 'ES256', kid: published.kid, typ: 'JWT' };

/** A token by Node's own crypto, which refuses nothing, not by the library under test. */
function forge(payload: object | null, overHeader: object = {}, key = signingKey): string {
  const text = `${encode({ ...header, ...overHeader })}.${encode(payload && { ...claims, ...payload })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Asks a route for players whether it takes a token: 400 (an empty batch) says yes. */
const statusWith = async (bearer: string, gameKey = tenant.gameKey) => {
  const answer = await app.http.post('/api/game/player-events', { events: [] }, { gameKey, bearer });
  assert.ok([400, 401].includes(answer.status), answer.text);
  if (answer.status === 401) assert.equal(answer.body.code, 'invalid_bearer');
  return answer.status;
};

test('a token says who, where and for how long, and anybody can verify it', async () => {
  assert.deepEqual(part(player.accessToken, 0), header);
  const { iat, exp, jti, ...rest } = claims;
  assert.deepEqual(rest, {
    iss: app.issuer,
    sub: player.playerId,
    tid: tenant.tenantId,
    sid: player.sessionId,
    auth_type: 'player',
    scope: 'player',
  });
  assert.equal(exp - iat, 7200);
  assert.ok(Math.abs(iat - Date.now() / 1000) < 60);
  assert.match(jti, /^[0-9a-f-]{36}$/);

  // Node's own crypto, not the library that signs.
  const [signed, signature = ''] = [
    player.accessToken.slice(0, player.accessToken.lastIndexOf('.')),
    player.accessToken.split('.')[2],
  ];
  const key = createPublicKey({ key: published, format: 'jwk' });
  assert.ok(
    verify(
      'sha256',
      Buffer.from(signed),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
  );
  assert.equal('d' in published, false, 'the public half alone is published');
});

test('the corpus of forgeries is 401, one like the other', async () => {
  assert.equal(await statusWith(player.accessToken), 400, 'the real one is taken');
  assert.equal(await statusWith(forge({})), 400, 'and so is what this test signs without a fault');

  const [head, body, signature] = player.accessToken.split('.') as [string, string, string];
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const otherKey = other.privateKey;
  const otherJwk = other.publicKey.export({ format: 'jwk' });
  const now = Math.floor(Date.now() / 1000);
  const hmac = (secret: string) => {
    const text = `${encode({ ...header, alg: 'HS256' })}.${body}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const publicKey = createPublicKey({ key: published, format: 'jwk' });
  const { bearer: accountToken } = await arrangeAccount(app, tenant, 'owner');
  const withoutClaim = (name: string) => forge({ [name]: undefined });

  const forgeries: Record<string, string> = {
    'alg none': `${encode({ alg: 'none' })}.${body}.`,
    'alg none with the signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'alg nOnE': `${encode({ ...header, alg: 'nOnE' })}.${body}.`,
    'HS256 with the public key as PEM': hmac(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    'HS256 with the public key as JWK': hmac(JSON.stringify(published)),
    'HS256 with nothing': hmac(''),
    'no algorithm': `${encode({ kid: published.kid })}.${body}.${signature}`,
    'another key': forge({}, {}, otherKey),
    'a key of its own in jwk': forge({}, { jwk: otherJwk, kid: undefined }, otherKey),
    jku: forge({}, { jku: `${app.url}/.well-known/jwks.json`, kid: 'x' }, otherKey),
    x5u: forge({}, { x5u: 'http://127.0.0.1:1/x', kid: undefined }, otherKey),
    x5c: forge({}, { x5c: ['AAAA'], kid: 'x' }, otherKey),
    'kid of a path': forge({}, { kid: '../../../../dev/null' }),
    'kid of SQL': forge({}, { kid: "' OR 1=1 --" }),
    'kid of a prototype': forge({}, { kid: '__proto__' }),
    'critical extension': forge({}, { crit: ['exp'], exp: now }),
    expired: forge({ iat: now - 7300, exp: now - 1 }),
    'no expiry': withoutClaim('exp'),
    'no subject': withoutClaim('sub'),
    'no time of issue': withoutClaim('iat'),
    'no id': withoutClaim('jti'),
    'not valid yet': forge({ nbf: now + 60 }),
    'another issuer': forge({ iss: 'https://evil.example' }),
    'no issuer': withoutClaim('iss'),
    'another kind': forge({ auth_type: 'saas' }),
    'another scope': forge({ scope: 'saas' }),
    'no kind': withoutClaim('auth_type'),
    'an account’s token': accountToken,
    'a portal token, on a route of a game': forge({ tid: null }),
    'a token of another tenant': forge({ tid: '0198c1d2-0000-7000-8000-000000000001' }),
    'other claims under the signature': `${head}.${encode({ ...claims, sub: claims.sid })}.${signature}`,
    truncated: player.accessToken.slice(0, -3),
    'without its signature': `${head}.${body}`,
    'with an empty signature': `${head}.${body}.`,
    'in one piece': head,
    'five pieces': `${player.accessToken}.x.y`,
    dots: '..',
    'no JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
    'null for claims': forge(null),
    'a refresh token': player.refreshToken,
    'very long': `${head}.${'A'.repeat(12_000)}.${signature}`,
  };
  for (const [name, token] of Object.entries(forgeries))
    assert.deepEqual([name, await statusWith(token)], [name, 401]);
});

test('an Authorization header that holds no bearer token is 401', async () => {
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${player.accessToken}`,
    player.accessToken,
    `Bearer ${player.accessToken} x`,
    `Bearer "${player.accessToken}"`,
  ]) {
    const caller = { gameKey: tenant.gameKey, headers: { authorization } };
    const answer = await app.http.post('/api/game/player-events', { events: [] }, caller);
    assert.deepEqual([answer.status, answer.body.code], [401, 'missing_bearer'], authorization);
  }
  const caller = { gameKey: tenant.gameKey, headers: { authorization: `bEaReR  ${player.accessToken}` } };
  assert.equal((await app.http.post('/api/game/player-events', { events: [] }, caller)).status, 400);
});

test('a token that was taken once is not taken after its end', async () => {
  const soon = Math.floor(Date.now() / 1000) + 2;
  const token = forge({ exp: soon });
  assert.equal(await statusWith(token), 400);
  await new Promise((resolve) => setTimeout(resolve, soon * 1000 - Date.now() + 20));
  assert.equal(await statusWith(token), 401);
});

test('a token is good for keys of its own tenant alone', async () => {
  const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
  assert.equal(await statusWith(player.accessToken, neighbour.gameKey), 401);
});

test('a signing key that is retired takes its tokens with it', async () => {
  const spare = await startTestApp();
  const place = await arrangeTenant(spare);
  const { caller } = await arrangePlayer(spare, place);
  const ask = async () => (await spare.http.post('/api/game/player-events', { events: [] }, caller)).status;
  assert.equal(await ask(), 400);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const vault = openVault(Buffer.from(TEST_MASTER_KEY, 'hex'));
  await spare.owner.query('INSERT INTO signing_keys VALUES ($1, $2, $3, now(), NULL)', [
    'next',
    { ...publicKey.export({ format: 'jwk' }), kid: 'next', alg: 'ES256' },
    vault.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), 'signing key'),
  ]);
  const kids = async () =>
    (await spare.http.get('/.well-known/jwks.json')).body.keys.map((key: JWK) => key.kid);
  while ((await kids()).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(await ask(), 400, 'both keys verify');
  const fresh = await arrangePlayer(spare, place);
  assert.equal(part(fresh.accessToken, 0).kid, 'next', 'the newer one signs');
  // Somebody asks all the time: a token that is verified while the keys are read again must not be remembered.
  let asking = true;
  const hammer = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (asking) await ask();
    }),
  );
  await spare.owner.query(`UPDATE signing_keys SET retires_at = now() WHERE kid <> 'next'`);
  while ((await kids()).length > 1) await new Promise((resolve) => setTimeout(resolve, 10));
  asking = false;
  await hammer;
  assert.equal(await ask(), 401);
});
