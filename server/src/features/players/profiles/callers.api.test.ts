import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const ME = '/api/player-profile/me';
const player = await arrangePlayer(app, tenant);
const account = await arrangeAccount(app, tenant, 'owner');

/** Every endpoint of the own profile. */
const endpoints: [method: string, path: string, body?: unknown][] = [
  ['GET', ME],
  ['PATCH', ME, { displayName: 'Mallory' }],
  ['DELETE', ME],
  ['POST', `${ME}/avatar`],
  ['GET', `${ME}/bus_tenants`],
  ['POST', `${ME}/auth-methods`, { provider: 'Mock', token: 'mock:mallory:secret' }],
  ['DELETE', `${ME}/auth-methods/${randomUUID()}`],
  ['POST', `${ME}/auth-methods/${randomUUID()}/set-primary`],
  [
    'POST',
    `${ME}/merge`,
    { sourceProfileId: randomUUID(), sourceProvider: 'Mock', sourceAuthToken: 'mock:a:b' },
  ],
  ['GET', `${ME}/export`],
];

/** The player’s token with changed claims and the old signature. */
function forged(change: (claims: Record<string, unknown>) => object): string {
  const [header, claims, signature] = player.accessToken.split('.');
  const parsed = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  return [header, Buffer.from(JSON.stringify(change(parsed))).toString('base64url'), signature].join('.');
}

const otherCallers: Record<string, Caller> = {
  'no credential': {},
  'a game key': { gameKey: tenant.gameKey },
  'an API key': { apiKey: tenant.apiKey },
  'both keys': { gameKey: tenant.gameKey, apiKey: tenant.apiKey },
  'a game key as a bearer': { bearer: tenant.gameKey },
  'a console account': { bearer: account.bearer },
  'a refresh token': { bearer: player.refreshToken },
  'a token with another subject': { bearer: forged((claims) => ({ ...claims, sub: randomUUID() })) },
  'an unsigned token': { bearer: `${player.accessToken.split('.').slice(0, 2).join('.')}.` },
  'a token without a scheme': { headers: { authorization: player.accessToken } },
};

describe('/api/player-profile/me', () => {
  for (const [method, path, body] of endpoints) {
    test(`${method} ${path.replace(/[0-9a-f-]{36}/, '…')} returns 401 without a player’s access token`, async () => {
      for (const [who, caller] of Object.entries(otherCallers)) {
        const sent = body === undefined ? undefined : JSON.stringify(body);
        const { status, body: problem, headers } = await app.http.raw(method, path, sent, caller);
        assert.equal(status, 401, who);
        assert.match(problem.code, /^(missing|invalid)_bearer$/, who);
        assert.match(headers.get('content-type') ?? '', /problem\+json/, who);
      }
    });
  }

  test('is not changed by the refused requests', async () => {
    const { body } = await app.http.get(ME, { bearer: player.accessToken });
    assert.deepEqual([body.displayName, body.isActive, body.authMethods.length], [player.username, true, 1]);
  });

  test('ignores keys that are sent beside the token', async () => {
    const other = await arrangeTenant(app);
    for (const keys of [tenant, other, { gameKey: 'nonsense', apiKey: 'nonsense' }]) {
      const caller = { bearer: player.accessToken, gameKey: keys.gameKey, apiKey: keys.apiKey };
      assert.equal((await app.http.get(ME, caller)).body.id, player.playerId);
    }
  });

  test('returns 401 for a token of a player who does not exist', async () => {
    const lost = await arrangePlayer(app, tenant);
    await app.owner.query('DELETE FROM auth_methods WHERE player_id = $1', [lost.playerId]);
    await app.owner.query('DELETE FROM tenant_access WHERE player_id = $1', [lost.playerId]);
    await app.owner.query('DELETE FROM players WHERE id = $1', [lost.playerId]);
    const { status, body } = await app.http.get(ME, { bearer: lost.accessToken });
    assert.deepEqual([status, body.code], [401, 'invalid_bearer']);
  });
});
