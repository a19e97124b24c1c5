import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { newOpaqueToken } from '../../security/opaque-tokens.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { startTestApp } from '../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const other = await arrangeTenant(app);
const player = await arrangePlayer(app, tenant);
const account = await arrangeAccount(app, tenant);

const MATCH = `/api/game/matches/${randomUUID()}`;
const WALLET_PLAYER = '/api/BlockchainStorage/players/1';
const OWN_PROFILE = '/api/player-profile/me';
const EVENTS = `/api/bus_tenants/${tenant.tenantId}/events?scope=match`;

test('the error of a refused credential describes the credential that was sent', async () => {
  const cut = tenant.gameKey.slice(0, -8);
  const mistyped = tenant.gameKey.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const cases = [
    [EVENTS, {}, 'missing_bearer', /API key in the header X-API-Key/],
    [
      EVENTS,
      { apiKey: tenant.gameKey },
      'invalid_api_key',
      /contains a game key\. Send an API key instead: gh_api_/,
    ],
    [
      MATCH,
      { gameKey: tenant.apiKey },
      'invalid_game_key',
      /contains an API key\. Send a game key instead: gh_/,
    ],
    [MATCH, { gameKey: cut }, 'invalid_game_key', /must contain the game key: gh_game_ and 72/],
    [MATCH, { gameKey: mistyped }, 'invalid_game_key', /has a typing error: its checksum is wrong/],
    [MATCH, { gameKey: newOpaqueToken('game') }, 'invalid_game_key', /is unknown, revoked or expired/],
    [OWN_PROFILE, { bearer: tenant.gameKey }, 'invalid_bearer', /a key or a refresh token/],
    [OWN_PROFILE, { bearer: player.refreshToken }, 'invalid_bearer', /a key or a refresh token/],
    [OWN_PROFILE, { bearer: `${player.accessToken}x` }, 'invalid_bearer', /has expired, or is not valid/],
    [
      OWN_PROFILE,
      account,
      'invalid_bearer',
      /contains the access token of a console account\. Send a player's/,
    ],
    [
      EVENTS,
      { bearer: player.accessToken },
      'invalid_bearer',
      /contains a player's access token\. Send the access/,
    ],
    [
      WALLET_PLAYER,
      { bearer: player.accessToken },
      'invalid_bearer',
      /Send the token of a wallet-linked player/,
    ],
    [
      MATCH,
      { gameKey: other.gameKey, bearer: player.accessToken },
      'invalid_bearer',
      /are of different games/,
    ],
  ] as const;
  for (const [path, caller, code, detail] of cases) {
    const answer = await app.http.get(path, caller);
    assert.deepEqual([answer.status, answer.body.code], [401, code]);
    assert.match(answer.body.detail, detail);
  }
});

test('a refused token that has expired says when, and nothing else of it', async () => {
  const expired = (token: string, claims: object) => {
    const [header, , signature] = token.split('.');
    const body = Buffer.from(JSON.stringify({ auth_type: 'player', sub: 'hunter2', ...claims }));
    return [header, body.toString('base64url'), signature].join('.');
  };
  const detailOf = async (path: string, claims: object) => {
    const answer = await app.http.get(path, { bearer: expired(player.accessToken, claims) });
    assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_bearer']);
    assert.doesNotMatch(answer.text, /hunter2/);
    return answer.body.detail;
  };
  const detail = 'The access token expired at 2026-01-01T00:00:00.000Z. Refresh it, or sign in again.';
  const exp = Date.UTC(2026, 0) / 1000;
  assert.equal(await detailOf(OWN_PROFILE, { exp }), detail);
  assert.equal(await detailOf(EVENTS, { exp, auth_type: 'saas' }), detail);
  assert.match(await detailOf(EVENTS, { exp }), /contains a player's access token/);
  const usual = /^The bearer token has expired, or is not valid/;
  for (const claims of [
    {},
    { exp: Date.now() },
    { exp: String(exp) },
    { exp: [exp] },
    { exp: null },
    { exp: -1 },
    { exp: -1e300 },
    { exp, auth_type: 'hunter2' },
    { exp, padding: 'x'.repeat(8_192) },
  ])
    assert.match(await detailOf(OWN_PROFILE, claims), usual, JSON.stringify(claims).slice(0, 80));
  const assertion = expired(player.accessToken, { exp, auth_type: 'assertion' });
  const caller = { gameKey: tenant.gameKey, bearer: assertion };
  const { body } = await app.http.post('/api/player-auth/jwt/validate', {}, caller);
  assert.match(body.detail, usual, 'an assertion cannot be refreshed');
});

test('an API key of another game returns the same 404 for each tenant id', async () => {
  const answerFor = async (id: string) => {
    const path = `/api/bus_tenants/${id}/events?scope=match`;
    const { status, body } = await app.http.get(path, { apiKey: other.apiKey });
    const { instance: _, requestId: __, ...rest } = body;
    return { status, ...rest };
  };
  const foreign = await answerFor(tenant.tenantId);
  assert.deepEqual(foreign, await answerFor(randomUUID()));
  assert.deepEqual([foreign.status, foreign.code], [404, 'not_found']);
  assert.match(foreign.detail, /^This API key is of another game than the path\./);
});

test('a 401 names the credentials that the operation takes', async () => {
  const challenges = async (path: string) => (await app.http.get(path)).headers.get('www-authenticate');
  assert.equal(await challenges(MATCH), 'ApiKey header="X-Game-Key", Bearer');
  assert.equal(await challenges(EVENTS), 'Bearer, ApiKey header="X-API-Key"');
  assert.equal(await challenges(OWN_PROFILE), 'Bearer');
  const wrong = { email: 'nobody@example.com', password: 'not the right one' };
  const signIn = await app.http.post('/api/saas-auth/login', wrong);
  assert.deepEqual([signIn.status, signIn.headers.get('www-authenticate')], [401, 'Bearer']);
});

test('a game key with requirePlayerToken never acts alone for a player', async () => {
  const path = `/api/bus_tenants/${tenant.tenantId}/game-keys`;
  const admin = await arrangeAccount(app, tenant, 'admin');
  const created = await app.http.post(path, { name: 'client', requirePlayerToken: true }, admin);
  const { key: gameKey } = created.body;
  const acting: string[] = [];
  const { paths } = (await app.http.get('/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string; security: Record<string, string[]>[] }>>;
  };
  for (const [template, operations] of Object.entries(paths))
    for (const [method, { operationId, security }] of Object.entries(operations)) {
      const takes = (...schemes: string[]) =>
        security.some((one) => Object.keys(one).toSorted().join() === schemes.join());
      if (!takes('gameKey') || !takes('gameKey', 'player')) continue;
      acting.push(operationId);
      const url = app.url + template.replace(/\{\w+\}/g, randomUUID());
      const response = await fetch(url, { method, headers: { 'x-game-key': gameKey } });
      const { code } = (await response.json()) as { code: string };
      assert.deepEqual([response.status, code], [401, 'missing_bearer'], operationId);
    }
  assert.deepEqual(acting.toSorted(), [
    'createMatch',
    'endMatch',
    'getMatch',
    'joinMatch',
    'leaveMatch',
    'logOutPlayer',
    'recordMatchResults',
  ]);

  // A sign-in proves who the player is, and a profile look-up acts for nobody.
  const mock = { provider: 'Mock', token: 'mock:ada:secret' };
  assert.equal((await app.http.post('/api/player-auth/login', mock, { gameKey })).status, 200);
  const lookup = `/api/player-profiles/${player.playerId}`;
  assert.equal((await app.http.get(lookup, { gameKey })).status, 200);
});
