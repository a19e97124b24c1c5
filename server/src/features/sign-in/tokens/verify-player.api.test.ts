import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { createForger, partOf } from '../../../testing/forgeries.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const { gameKey } = tenant;
const { forge, forgeries } = await createForger(app);

const verify = (caller: Caller) => app.http.get('/api/game/player', caller);
const codeOf = async (caller: Caller) => {
  const { status, body } = await verify(caller);
  return [status, body.code];
};
const refresh = async (refreshToken: string) =>
  app.http.post('/api/player-auth/refresh', { refreshToken }, { gameKey });

describe('GET /api/game/player', () => {
  test('returns the player and the session of the token, also of a refreshed one', async () => {
    const player = await arrangePlayer(app, tenant);
    await app.owner.query(`UPDATE players SET display_name = 'Ada Ł 🎲' WHERE id = $1`, [player.playerId]);
    await app.owner.query(
      `UPDATE tenant_access SET tenant_role = 'moderator' WHERE tenant_id = $1 AND player_id = $2`,
      [tenant.tenantId, player.playerId],
    );
    const { status, body, text, headers } = await verify(player.caller);
    assert.equal(status, 200, text);
    assert.ok(headers.get('ratelimit-remaining'), 'counts towards the rate limit of the key');
    const expected = {
      playerId: player.playerId,
      sessionId: player.sessionId,
      displayName: 'Ada Ł 🎲',
      tenantRole: 'moderator',
    };
    const expiryOf = (token: string) => new Date(partOf(token, 1).exp * 1000).toISOString();
    assert.deepEqual(body, { ...expected, expiresAt: expiryOf(player.accessToken) });

    await app.owner.query('UPDATE players SET display_name = NULL WHERE id = $1', [player.playerId]);
    const { accessToken } = (await refresh(player.refreshToken)).body;
    assert.deepEqual((await verify({ gameKey, bearer: accessToken })).body, {
      ...expected,
      displayName: null,
      expiresAt: expiryOf(accessToken),
    });
  });

  test('returns 401 for a token of another tenant or workspace, or of the player portal', async () => {
    const player = await arrangePlayer(app, tenant);
    const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const stranger = await arrangeTenant(app);
    for (const { gameKey: otherKey } of [neighbour, stranger]) {
      // A player of both games, so that only the token is of the other one.
      await arrangePlayer(app, { ...tenant, gameKey: otherKey }, player.username);
      assert.deepEqual(await codeOf({ gameKey: otherKey, bearer: player.accessToken }), [
        401,
        'invalid_bearer',
      ]);
    }
    for (const claims of [{ tid: null }, { tid: null, sid: null }]) {
      const bearer = forge(player.accessToken, claims);
      assert.deepEqual(await codeOf({ gameKey, bearer }), [401, 'invalid_bearer']);
      assert.equal((await app.http.get('/api/player-profile/me', { bearer })).status, 200, 'a portal token');
    }
  });

  test('returns 401 without a game key, for an API key, and for an expired or forged token', async () => {
    const { accessToken: bearer } = await arrangePlayer(app, tenant);
    assert.deepEqual(await codeOf({ bearer }), [401, 'missing_game_key']);
    assert.deepEqual(await codeOf({ gameKey: tenant.apiKey, bearer }), [401, 'invalid_game_key']);
    assert.deepEqual(await codeOf({ gameKey }), [401, 'missing_bearer']);
    for (const [name, forged] of Object.entries({ ...forgeries(bearer), account: admin.bearer }))
      assert.deepEqual([name, ...(await codeOf({ gameKey, bearer: forged }))], [name, 401, 'invalid_bearer']);
  });

  test('returns 403 for a banned player until the ban ends', async () => {
    const { playerId, caller, username } = await arrangePlayer(app, tenant);
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
    assert.equal((await app.http.post(path, {}, admin)).status, 201);
    assert.deepEqual(await codeOf(caller), [403, 'player_banned']);
    assert.equal((await app.http.delete(path, admin)).status, 204);
    assert.deepEqual(await codeOf(caller), [401, 'session_ended'], 'the ban ended the session');
    const next = await arrangePlayer(app, tenant, username);
    assert.equal((await verify(next.caller)).status, 200);
  });

  test('accepts a player who is banned in another tenant', async () => {
    const player = await arrangePlayer(app, tenant);
    const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await arrangePlayer(app, neighbour, player.username);
    const path = `/api/bus_tenants/${neighbour.tenantId}/players/${player.playerId}/ban`;
    assert.equal((await app.http.post(path, {}, admin)).status, 201);
    assert.equal((await verify(player.caller)).status, 200);
  });

  test('returns 401 after a logout, and accepts the other sessions of the player', async () => {
    const player = await arrangePlayer(app, tenant);
    const other = await arrangePlayer(app, tenant, player.username);
    const body = { sessionId: player.sessionId };
    assert.equal((await app.http.post('/api/player-auth/logout', body, player.caller)).status, 200);
    assert.deepEqual(await codeOf(player.caller), [401, 'session_ended']);
    assert.equal((await verify(other.caller)).status, 200);
  });

  test('returns 401 for a session that was revoked', async () => {
    const [leaked, kicked] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    await refresh(leaked.refreshToken);
    await app.owner.query(
      `UPDATE refresh_tokens SET used_at = used_at - interval '1 minute' WHERE session_id = $1`,
      [leaked.sessionId],
    );
    assert.equal((await refresh(leaked.refreshToken)).status, 401, 'a second use');
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${kicked.playerId}/force-logout`;
    assert.equal((await app.http.post(path, {}, admin)).status, 200);
    for (const { caller } of [leaked, kicked])
      assert.deepEqual(await codeOf(caller), [401, 'invalid_bearer']);
  });

  test('returns 401 for a deleted or merged player', async () => {
    const [deleted, merged, target] = [
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
    ];
    assert.equal((await app.http.delete('/api/player-profile/me', deleted.caller)).status, 204);
    const body = {
      sourceProfileId: merged.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${merged.username}:secret`,
    };
    const merge = await app.http.post('/api/player-profile/me/merge', body, target.caller);
    assert.equal(merge.status, 200, merge.text);
    for (const { caller } of [deleted, merged])
      assert.deepEqual(await codeOf(caller), [401, 'player_inactive']);
    assert.equal((await verify(target.caller)).status, 200);
  });
});
