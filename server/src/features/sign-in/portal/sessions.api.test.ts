import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { arrangePlayer, arrangeStoreAPlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startStoreAOpenId } from '../../../testing/providers/store-a-openid.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';
import { vault } from '../../../testing/test-vault.ts';

const store = await startStoreAOpenId();
const app = await startTestApp({ env: { STORE_A_URL: store.url, TRUST_PROXY: 'on' } });
const tenant = await arrangeTenant(app);

const post = (path: string, body: unknown, caller = {}) =>
  app.http.post(`/api/player-portal-auth/${path}`, body, caller);
const refresh = (refreshToken: unknown) => post('refresh', { refreshToken });
const logOut = (refreshToken: unknown) => post('logout', { refreshToken });
const sessionOf = (accessToken: string): string =>
  JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()).sid;
const change = (assignment: string, token: string) =>
  app.owner.query(`UPDATE portal_refresh_tokens SET ${assignment} WHERE token_hash = $1`, [
    vault.fingerprint(token),
  ]);

let network = 0;
/** Arranges a player with a portal session. */
async function arrangeSession() {
  const player = await arrangeStoreAPlayer(app);
  const caller = { headers: { 'x-forwarded-for': `10.0.${network++ % 256}.1` } };
  const { authUrl } = (await post('storea/start', undefined, caller)).body;
  const login = await post('storea/exchange', {
    callbackUrl: await store.browse(authUrl, player.accountId),
  });
  assert.equal(login.status, 200, login.text);
  const { accessToken, refreshToken } = login.body as { accessToken: string; refreshToken: string };
  return { ...player, accessToken, refreshToken, sessionId: sessionOf(accessToken) };
}

describe('portal sessions', () => {
  test('give access to the player’s own endpoints, and to no game endpoint', async () => {
    const { accessToken: bearer, playerId } = await arrangeSession();
    assert.deepEqual((await app.http.get('/api/player/devices', { bearer })).body, []);
    const { gameKey } = tenant;
    const games: [path: string, body: object, caller: object][] = [
      ['/api/game/player-events', { events: [] }, { gameKey, bearer }],
      ['/api/game/events', { events: [] }, { gameKey, bearer }],
      ['/api/game/matches', { players: [{ playerId }] }, { gameKey, bearer }],
      ['/api/player-auth/logout', { sessionId: sessionOf(bearer) }, { gameKey, bearer }],
      ['/api/workspaces', { name: 'mine' }, { bearer }],
    ];
    for (const [path, body, caller] of games) {
      const answer = await app.http.post(path, body, caller);
      assert.deepEqual([path, answer.status, answer.body.code], [path, 401, 'invalid_bearer']);
    }
  });

  test('return the same player and session, and a new pair, on refresh', async () => {
    const session = await arrangeSession();
    const answer = await refresh(session.refreshToken);
    assert.equal(answer.status, 200, answer.text);
    const { accessToken, refreshToken, ...rest } = answer.body;
    assert.deepEqual(rest, { tokenType: 'Bearer', expiresIn: 7200, playerId: session.playerId });
    assert.match(refreshToken, /^gh_portal_/);
    assert.notEqual(refreshToken, session.refreshToken);
    assert.equal(sessionOf(accessToken), session.sessionId);
    assert.equal((await app.http.get('/api/player/devices', { bearer: accessToken })).status, 200);
  });

  test('let one of twenty parallel refreshes succeed, and keep its token valid', async () => {
    const session = await arrangeSession();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(session.refreshToken)));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, ...Array(19).fill(401)]);
    const winner = answers.find((answer) => answer.status === 200);
    assert.equal((await refresh(winner?.body.refreshToken)).status, 200, 'the new one works');
  });

  test('end when a token is used again after ten seconds, with one audit record', async () => {
    const session = await arrangeSession();
    const next = (await refresh(session.refreshToken)).body.refreshToken;
    await change(`used_at = now() - interval '7 seconds'`, session.refreshToken);
    assert.equal((await refresh(session.refreshToken)).status, 401);
    const newest = (await refresh(next)).body.refreshToken;
    assert.ok(newest, 'within ten seconds nothing is revoked');

    await change(`used_at = now() - interval '11 seconds'`, session.refreshToken);
    const replays = await Promise.all(Array.from({ length: 5 }, () => refresh(session.refreshToken)));
    for (const replay of replays)
      assert.deepEqual([replay.status, replay.body.code], [401, 'invalid_refresh_token']);
    assert.equal((await refresh(newest)).status, 401);
    const { rows } = await app.owner.query(
      'SELECT action, actor_kind, actor_id, tenant_id, ip_address FROM audit_records WHERE target_id = $1',
      [session.sessionId],
    );
    assert.deepEqual(rows, [
      {
        action: 'refresh_token.reused',
        actor_kind: 'player',
        actor_id: session.playerId,
        tenant_id: null,
        ip_address: '127.0.0.1',
      },
    ]);
  });

  test('return 401 for expired tokens, tokens of another kind, and closed players', async () => {
    const expired = await arrangeSession();
    await change('expires_at = now()', expired.refreshToken);
    const closed = await arrangeSession();
    await app.owner.query('UPDATE players SET is_active = false WHERE id = $1', [closed.playerId]);
    const inTenant = await arrangePlayer(app, tenant);
    const ofAccount = await app.http.post('/api/saas-auth/signup', {
      email: 'ada@example.com',
      password: 'a long password',
    });
    for (const token of [
      expired.refreshToken,
      closed.refreshToken,
      inTenant.refreshToken,
      ofAccount.body.refreshToken,
      newOpaqueToken('portal'),
      expired.accessToken.slice(0, 512),
      'x',
    ])
      assert.deepEqual((await refresh(token)).body.code, 'invalid_refresh_token', token);

    const { refreshToken } = await arrangeSession();
    assert.equal((await app.http.post('/api/player-auth/refresh', { refreshToken }, tenant)).status, 401);
    assert.equal((await app.http.post('/api/saas-auth/refresh', { refreshToken })).status, 401);
    for (const token of ['', 5, true, null, undefined, [refreshToken], 'x'.repeat(513)])
      for (const send of [refresh, logOut]) assert.equal((await send(token)).status, 400, String(token));
    assert.equal((await refresh(refreshToken)).status, 200, 'the token is still valid');
  });

  test('stay valid when the player is banned in a tenant', async () => {
    const session = await arrangeSession();
    await app.owner.query(
      `INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, banned_until)
     VALUES ($1, $2, now(), now(), 'infinity')`,
      [tenant.tenantId, session.playerId],
    );
    assert.equal((await refresh(session.refreshToken)).status, 200);
  });

  test('end on logout, which is idempotent; the access token stays valid', async () => {
    const session = await arrangeSession();
    const other = await arrangeSession();
    const next = (await refresh(session.refreshToken)).body.refreshToken;
    for (const token of [next, next, session.refreshToken]) {
      const answer = await logOut(token);
      assert.deepEqual([answer.status, answer.text], [204, '']);
    }
    assert.equal((await refresh(next)).status, 401);
    assert.equal((await app.http.get('/api/player/devices', { bearer: session.accessToken })).status, 200);
    assert.equal((await refresh(other.refreshToken)).status, 200, 'other sessions stay valid');
    for (const token of [newOpaqueToken('portal'), (await arrangePlayer(app, tenant)).refreshToken]) {
      const answer = await logOut(token);
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_refresh_token']);
    }
  });

  test('have no working token after a parallel refresh and logout', async () => {
    for (let round = 0; round < 40; round++) {
      const session = await arrangeSession();
      const racers = [() => refresh(session.refreshToken), () => logOut(session.refreshToken)];
      if (round % 2) racers.reverse();
      const answers = await Promise.all(racers.map((race) => race()));
      const [refreshed, ended] = round % 2 ? answers.toReversed() : answers;
      assert.equal(ended?.status, 204);
      const token = refreshed?.status === 200 ? refreshed.body.refreshToken : session.refreshToken;
      assert.equal((await refresh(token)).status, 401, `round ${round}`);
    }
  });

  test('return 401 when a refresh waits for a logout to commit', async () => {
    const session = await arrangeSession();
    const refreshed = await commitWhileWaiting(
      app,
      (logout) =>
        logout.query('UPDATE portal_sessions SET revoked_at = now() WHERE id = $1', [session.sessionId]),
      () => refresh(session.refreshToken),
    );
    assert.equal(refreshed.status, 401);
  });

  test('return 401 when a sign-in waits for the player’s deactivation to commit', async () => {
    const { playerId, accountId } = await arrangeStoreAPlayer(app);
    const { authUrl } = (await post('storea/start', undefined)).body;
    const callbackUrl = await store.browse(authUrl, accountId);
    const answer = await commitWhileWaiting(
      app,
      (closing) => closing.query('UPDATE players SET is_active = false WHERE id = $1', [playerId]),
      () => post('storea/exchange', { callbackUrl }),
    );
    assert.equal(answer.status, 401);
    const sessions = await app.owner.query('SELECT FROM portal_sessions WHERE player_id = $1', [playerId]);
    assert.equal(sessions.rowCount, 0);
  });
});
