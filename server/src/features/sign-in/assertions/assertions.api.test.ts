import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { partOf } from '../../../testing/forgeries.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const admin = await arrangeAccount(app, tenant, 'admin');
const { gameKey } = tenant;

const exchange = (body: unknown, caller: Caller) =>
  app.http.post('/api/player-auth/jwt/exchange', body, caller);
const validate = (body: unknown, caller: Caller) =>
  app.http.post('/api/player-auth/jwt/validate', body, caller);

/** Arranges a player with a name and an email address. Mock provides neither. */
async function arrangeNamedPlayer() {
  const player = await arrangePlayer(app, tenant);
  const email = `${player.username}@example.com`;
  await app.owner.query('UPDATE players SET display_name = $2, email = $3 WHERE id = $1', [
    player.playerId,
    'Ada Ł 🎲',
    email,
  ]);
  return { ...player, email };
}

const assertionOf = async (caller: Caller) =>
  (await exchange({ audience: 'https://shop.example' }, caller)).body.assertionToken as string;

describe('POST /api/player-auth/jwt/exchange and /validate', () => {
  test('issues an assertion that anyone can verify offline', async () => {
    const player = await arrangeNamedPlayer();
    const { status, body, text } = await exchange({ audience: '  https://shop.example ' }, player.caller);
    assert.equal(status, 200, text);
    const { assertionToken, ...rest } = body;
    assert.deepEqual(rest, { tokenType: 'Bearer', expiresIn: 300, audience: 'https://shop.example' });

    const keys = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(assertionToken, keys, {
      issuer: app.issuer,
      audience: 'https://shop.example',
    });
    const { iat, exp, jti, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: app.issuer,
      sub: player.playerId,
      tid: tenant.tenantId,
      sid: player.sessionId,
      aud: 'https://shop.example',
      name: 'Ada Ł 🎲',
      email: player.email,
      auth_type: 'assertion',
      scope: 'assertion',
    });
    assert.equal(exp! - iat!, 300);
    assert.match(jti!, /^[0-9a-f-]{36}$/);
  });

  test('returns the content of the assertion on validation', async () => {
    const player = await arrangeNamedPlayer();
    const bearer = await assertionOf(player.caller);
    const { iat, exp } = partOf(bearer, 1);
    const { status, body } = await validate({ audience: ' https://shop.example ' }, { gameKey, bearer });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      active: true,
      playerId: player.playerId,
      tenantId: tenant.tenantId,
      sessionId: player.sessionId,
      audience: 'https://shop.example',
      displayName: 'Ada Ł 🎲',
      email: player.email,
      issuedAt: new Date(iat * 1000).toISOString(),
      expiresAt: new Date(exp * 1000).toISOString(),
    });

    const nameless = await arrangePlayer(app, tenant);
    await app.owner.query('UPDATE players SET display_name = NULL WHERE id = $1', [nameless.playerId]);
    const answer = await validate(
      { audience: 'https://shop.example' },
      { gameKey, bearer: await assertionOf(nameless.caller) },
    );
    assert.equal(answer.status, 200);
    assert.ok(!('displayName' in answer.body) && !('email' in answer.body));
  });

  test('returns 401 when the audience is missing or different', async () => {
    const { caller } = await arrangePlayer(app, tenant);
    const bearer = await assertionOf(caller);
    for (const body of [
      undefined,
      null,
      {},
      { audience: null },
      { audience: 'https://shop.example/' },
      { audience: 'HTTPS://SHOP.EXAMPLE' },
    ]) {
      const answer = await validate(body, { gameKey, bearer });
      assert.deepEqual([answer.status, answer.body.code], [401, 'audience_mismatch'], JSON.stringify(body));
    }
  });

  test('accepts audiences of 1 to 255 code points', async () => {
    const { caller } = await arrangePlayer(app, tenant);
    const longest = '🎲'.repeat(255);
    const taken = await exchange({ audience: longest }, caller);
    assert.deepEqual([taken.status, taken.body.audience], [200, longest]);
    const assertion = { gameKey, bearer: taken.body.assertionToken };
    assert.equal((await validate({ audience: longest }, assertion)).status, 200);
    for (const audience of ['', '   ', `${longest}x`, 5, true, ['web'], {}, 'nul\0']) {
      assert.equal((await exchange({ audience }, caller)).status, 400, JSON.stringify(audience));
      assert.equal((await validate({ audience }, assertion)).status, 400, JSON.stringify(audience));
    }
    for (const body of [{}, { audience: null }, [], 'web', null])
      assert.equal((await exchange(body, caller)).status, 400, JSON.stringify(body));
    for (const includeRefreshToken of ['true', 1, {}])
      assert.equal((await exchange({ audience: 'web', includeRefreshToken }, caller)).status, 400);
    for (const body of [[], 'web', 5]) assert.equal((await validate(body, assertion)).status, 400);
    for (const path of ['exchange', 'validate']) {
      const headers = { 'content-type': 'text/plain' };
      const plain = { ...(path === 'exchange' ? caller : assertion), headers };
      assert.equal((await app.http.raw('POST', `/api/player-auth/jwt/${path}`, '{}', plain)).status, 415);
      const broken = path === 'exchange' ? caller : assertion;
      const answer = await app.http.raw('POST', `/api/player-auth/jwt/${path}`, '{', {
        ...broken,
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(answer.status, 400);
    }
  });

  test('requires a game key and a bearer, and returns 401 for an API key in any combination', async () => {
    const { caller } = await arrangePlayer(app, tenant);
    const assertion = await assertionOf(caller);
    const body = { audience: 'https://shop.example' };
    for (const [send, bearer] of [
      [exchange, caller.bearer],
      [validate, assertion],
    ] as const) {
      const codeOf = async (sent: Caller) => {
        const answer = await send(body, sent);
        return [answer.status, answer.body.code];
      };
      assert.deepEqual(await codeOf({ bearer }), [401, 'missing_game_key']);
      assert.deepEqual(await codeOf({ gameKey: tenant.apiKey, bearer }), [401, 'invalid_game_key']);
      assert.deepEqual(await codeOf({ gameKey: `${gameKey.slice(0, -1)}x`, bearer }), [
        401,
        'invalid_game_key',
      ]);
      assert.deepEqual(await codeOf({ gameKey }), [401, 'missing_bearer']);
      assert.deepEqual(await codeOf({ gameKey, bearer: tenant.apiKey }), [401, 'invalid_bearer']);
      for (const sent of [{}, { bearer }, { gameKey }, { gameKey, bearer }])
        for (const apiKey of [tenant.apiKey, 'nonsense'])
          assert.deepEqual(await codeOf({ ...sent, apiKey }), [401, 'api_key_not_allowed']);
      assert.equal((await send(body, { gameKey, bearer })).status, 200, 'valid credentials');
    }
  });

  test('returns 403 for a token of another tenant', async () => {
    const { caller } = await arrangePlayer(app, tenant);
    const bearer = await assertionOf(caller);
    for (const answer of [
      await exchange({ audience: 'web' }, { ...caller, gameKey: neighbour.gameKey }),
      await validate({ audience: 'https://shop.example' }, { gameKey: neighbour.gameKey, bearer }),
    ])
      assert.deepEqual([answer.status, answer.body.code], [403, 'tenant_mismatch']);
  });

  test('returns 401 for a closed account, and 403 for a banned player until the ban ends', async () => {
    const player = await arrangePlayer(app, tenant);
    const bearer = await assertionOf(player.caller);
    const ask = async () => {
      const answers = [
        await exchange({ audience: 'web' }, player.caller),
        await exchange({ audience: 'web', includeRefreshToken: true }, player.caller),
        await validate({ audience: 'https://shop.example' }, { gameKey, bearer }),
      ];
      return answers.map((answer) => answer.body.code ?? answer.status);
    };
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${player.playerId}/ban`;
    assert.equal((await app.http.post(path, {}, admin)).status, 201);
    assert.deepEqual(await ask(), ['player_banned', 'player_banned', 'player_banned']);
    assert.equal((await app.http.delete(path, admin)).status, 204);
    assert.deepEqual(await ask(), [200, 'session_ended', 200], 'the session issues no more refresh tokens');

    await app.owner.query('UPDATE players SET is_active = false WHERE id = $1', [player.playerId]);
    assert.deepEqual(await ask(), ['player_inactive', 'player_inactive', 'player_inactive']);
  });

  test('accepts a player who is banned in another tenant', async () => {
    const player = await arrangePlayer(app, tenant);
    await arrangePlayer(app, neighbour, player.username);
    const path = `/api/bus_tenants/${neighbour.tenantId}/players/${player.playerId}/ban`;
    assert.equal((await app.http.post(path, {}, admin)).status, 201);
    assert.equal((await exchange({ audience: 'web' }, player.caller)).status, 200);
  });
});
