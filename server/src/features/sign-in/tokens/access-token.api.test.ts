import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import type { JWK } from 'jose';
import { acceptedUntil } from '../../../testing/accepted-until.ts';
import { eventually } from '../../../testing/eventually.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { createForger, partOf } from '../../../testing/forgeries.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const player = await arrangePlayer(app, tenant);
const { published, forge: forgeLike, forgeries } = await createForger(app);
const forge = (claims: object) => forgeLike(player.accessToken, claims);

/** Sends an empty batch with a token. The status is 400 if the token is accepted. */
const statusWith = async (bearer: string, gameKey = tenant.gameKey) => {
  const answer = await app.http.post('/api/game/player-events', { events: [] }, { gameKey, bearer });
  assert.ok([400, 401].includes(answer.status), answer.text);
  if (answer.status === 401) assert.equal(answer.body.code, 'invalid_bearer');
  return answer.status;
};

describe('access tokens', () => {
  test('contain the player, tenant, session and expiry, and can be verified by anyone', async () => {
    assert.deepEqual(partOf(player.accessToken, 0), { alg: 'ES256', kid: published.kid, typ: 'JWT' });
    const { iat, exp, jti, ...rest } = partOf(player.accessToken, 1);
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

    // Verified with Node's crypto module, independently of the library that signs.
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
    assert.equal('d' in published, false, 'only the public key is published');
  });

  test('are refused with the same 401 when forged', async () => {
    assert.equal(await statusWith(player.accessToken), 400, 'the issued token');
    assert.equal(await statusWith(forge({})), 400, 'a token that this test signs without a fault');

    const { bearer: accountToken } = await arrangeAccount(app, tenant, 'owner');
    const wrong: Record<string, string> = {
      ...forgeries(player.accessToken),
      'an account’s token': accountToken,
      'a portal token, on a route of a game': forge({ tid: null }),
      'a token of another tenant': forge({ tid: '0198c1d2-0000-7000-8000-000000000001' }),
      'a refresh token': player.refreshToken,
    };
    for (const [name, token] of Object.entries(wrong))
      assert.deepEqual([name, await statusWith(token)], [name, 401]);
  });

  test('are refused with 401 when the Authorization header contains no bearer token', async () => {
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

  test('are refused after they expire, even if they were accepted before', async () => {
    const soon = Math.floor(Date.now() / 1000) + 2;
    const token = forge({ exp: soon });
    await acceptedUntil(new Date(soon * 1000), 400, () => statusWith(token));
  });

  test('are refused with keys of another tenant', async () => {
    const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    assert.equal(await statusWith(player.accessToken, neighbour.gameKey), 401);
  });

  test('are refused after their signing key is retired', async () => {
    const spare = await startTestApp();
    const place = await arrangeTenant(spare);
    const { caller } = await arrangePlayer(spare, place);
    const ask = async () => (await spare.http.post('/api/game/player-events', { events: [] }, caller)).status;
    assert.equal(await ask(), 400);
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await spare.owner.query('INSERT INTO signing_keys VALUES ($1, $2, $3, now(), NULL)', [
      'next',
      { ...publicKey.export({ format: 'jwk' }), kid: 'next', alg: 'ES256', use: 'sig' },
      vault.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), 'signing key'),
    ]);
    const kids = async () =>
      (await spare.http.get('/.well-known/jwks.json')).body.keys.map((key: JWK) => key.kid);
    await eventually(async () => (await kids()).length >= 2);
    assert.equal(await ask(), 400, 'both keys verify');
    const fresh = await arrangePlayer(spare, place);
    assert.equal(partOf(fresh.accessToken, 0).kid, 'next', 'the newer key signs');
    // Parallel requests: a token that is verified while the keys are reloaded must not be cached.
    let asking = true;
    const requests = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (asking) await ask();
      }),
    );
    await spare.owner.query(`UPDATE signing_keys SET retires_at = now() WHERE kid <> 'next'`);
    await eventually(async () => (await kids()).length <= 1);
    asking = false;
    await requests;
    assert.equal(await ask(), 401);
  });
});
