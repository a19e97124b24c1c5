import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { raceInEachOrder } from '../../../testing/race.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';
import { vault } from '../../../testing/test-vault.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const stranger = await arrangeTenant(app);

const refresh = (refreshToken: unknown, caller: object = tenant) =>
  app.http.post('/api/player-auth/refresh', { refreshToken }, caller);
const logOut = (sessionId: string) =>
  app.http.post('/api/player-auth/logout', { sessionId }, { gameKey: tenant.gameKey });
const change = (assignment: string, token: string) =>
  app.owner.query(`UPDATE refresh_tokens SET ${assignment} WHERE token_hash = $1`, [
    vault.fingerprint(token),
  ]);
const auditOf = async (sessionId: string) =>
  (
    await app.owner.query(
      `SELECT action, actor_kind, actor_id, tenant_id FROM audit_records WHERE target_id = $1`,
      [sessionId],
    )
  ).rows;

describe('POST /api/player-auth/refresh', () => {
  test('returns the same player and session, and a new pair', async () => {
    const player = await arrangePlayer(app, tenant);
    const { rows: before } = await app.owner.query('SELECT * FROM login_sessions WHERE session_id = $1', [
      player.sessionId,
    ]);
    const answer = await refresh(player.refreshToken);
    assert.equal(answer.status, 200, answer.text);
    const { accessToken, refreshToken, ...rest } = answer.body;
    assert.deepEqual(rest, {
      tokenType: 'Bearer',
      expiresIn: 7200,
      playerId: player.playerId,
      isNewPlayer: false,
      tenantId: tenant.tenantId,
      sessionId: player.sessionId,
    });
    assert.notEqual(refreshToken, player.refreshToken);
    const caller = { gameKey: tenant.gameKey, bearer: accessToken };
    assert.equal((await app.http.post('/api/game/player-events', { events: [] }, caller)).status, 400);
    const { rows: after } = await app.owner.query('SELECT * FROM login_sessions WHERE session_id = $1', [
      player.sessionId,
    ]);
    assert.deepEqual(after, before, 'refresh does not change session state');
  });

  test('lets one of twenty parallel requests succeed, and keeps its token valid', async () => {
    const player = await arrangePlayer(app, tenant);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(player.refreshToken)));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, ...Array(19).fill(401)]);
    for (const answer of answers.filter(({ status }) => status === 401))
      assert.equal(answer.body.code, 'invalid_refresh_token');
    const winner = answers.find((answer) => answer.status === 200);
    assert.equal((await refresh(winner?.body.refreshToken)).status, 200, 'the new one works');
    assert.deepEqual(await auditOf(player.sessionId), []);
  });

  test('revokes the family when a token is used again after ten seconds, and audits it once', async () => {
    const player = await arrangePlayer(app, tenant);
    const next = (await refresh(player.refreshToken)).body.refreshToken;
    await change(`used_at = now() - interval '7 seconds'`, player.refreshToken);
    assert.equal((await refresh(player.refreshToken)).status, 401);
    const newest = (await refresh(next)).body.refreshToken;
    assert.ok(newest, 'within ten seconds nothing is revoked');

    await change(`used_at = now() - interval '11 seconds'`, player.refreshToken);
    const replays = await Promise.all(Array.from({ length: 5 }, () => refresh(player.refreshToken)));
    assert.deepEqual(
      replays.map((answer) => answer.status),
      Array(5).fill(401),
    );
    assert.equal((await refresh(newest)).status, 401);
    assert.deepEqual(await auditOf(player.sessionId), [
      {
        action: 'refresh_token.reused',
        actor_kind: 'player',
        actor_id: player.playerId,
        tenant_id: tenant.tenantId,
      },
    ]);
    assert.equal(
      (await arrangePlayer(app, tenant, player.username)).playerId,
      player.playerId,
      'a new sign-in works',
    );
  });

  test('returns 401 for a token of another tenant, an expired token and a closed account', async () => {
    const foreign = await arrangePlayer(app, stranger);
    const { status, body } = await refresh(foreign.refreshToken);
    assert.equal(status, 401);
    assert.match(body.detail, /, or belongs to another game than the game key\. Check the game key, or sign/);
    assert.equal(
      (await refresh(foreign.refreshToken, stranger)).status,
      200,
      'the token stays valid in its own tenant',
    );

    const expired = await arrangePlayer(app, tenant);
    await change(`expires_at = now()`, expired.refreshToken);
    assert.equal((await refresh(expired.refreshToken)).status, 401);

    const closed = await arrangePlayer(app, tenant);
    await app.owner.query('UPDATE players SET is_active = false WHERE id = $1', [closed.playerId]);
    assert.equal((await refresh(closed.refreshToken)).status, 401);
  });

  test('returns 401 for a token never issued, and 400 for a value that is not a string', async () => {
    const { refreshToken, accessToken } = await arrangePlayer(app, tenant);
    const mistyped = refreshToken.slice(0, -1) + (refreshToken.endsWith('0') ? '1' : '0');
    for (const token of [
      newOpaqueToken('refresh'),
      mistyped,
      refreshToken.toUpperCase(),
      ` ${refreshToken}`,
      'x',
      accessToken.slice(0, 512),
    ])
      assert.deepEqual([(await refresh(token)).body.code], ['invalid_refresh_token']);
    assert.equal(
      (await refresh(accessToken.slice(0, 512))).body.detail,
      'The refresh token must be gh_refresh_ and 72 more characters, as the last sign-in or refresh returned it. Copy it again, or sign in again.',
    );
    for (const token of ['', 5, true, null, undefined, [refreshToken], 'x'.repeat(513)])
      assert.equal((await refresh(token)).status, 400, String(token));
    assert.equal(
      (await refresh(`${accessToken}${'x'.repeat(513)}`)).body.detail,
      'The body is not valid: refreshToken is longer than a refresh token. Send the refresh token, which begins with gh_, not an access token.',
    );
    assert.equal((await refresh(refreshToken)).status, 200, 'the token is still valid');
  });

  test('returns 401 for every token of the session after a logout', async () => {
    const player = await arrangePlayer(app, tenant);
    const next = (await refresh(player.refreshToken)).body.refreshToken;
    assert.equal((await logOut(player.sessionId)).status, 200);
    assert.equal((await refresh(next)).status, 401);
    assert.equal((await refresh(player.refreshToken)).status, 401);
  });

  test('leaves no working token after a parallel logout', async () => {
    await raceInEachOrder(30, async (first, second, round) => {
      const player = await arrangePlayer(app, tenant);
      const [refreshed, ended] = await Promise.all([
        first(() => refresh(player.refreshToken)),
        second(() => logOut(player.sessionId)),
      ]);
      assert.equal(ended.status, 200);
      assert.ok([200, 401].includes(refreshed.status), refreshed.text);
      const token = refreshed.status === 200 ? refreshed.body.refreshToken : player.refreshToken;
      assert.equal((await refresh(token)).status, 401, `round ${round}`);
      return refreshed.status === 200;
    });
  });

  test('returns 401 when it waits for a logout to commit', async () => {
    const player = await arrangePlayer(app, tenant);
    const { status } = await commitWhileWaiting(
      app,
      (logout) =>
        logout.query(
          `UPDATE login_sessions SET ended_at = now(), end_reason = 'user_logout' WHERE session_id = $1`,
          [player.sessionId],
        ),
      () => refresh(player.refreshToken),
    );
    assert.equal(status, 401);
  });
});

describe('REFRESH_TOKEN_DAYS', () => {
  const daysOf = async (token: string): Promise<number> => {
    const { rows } = await app.owner.query(
      `SELECT extract(epoch FROM expires_at - now()) / 86400 AS days FROM refresh_tokens WHERE token_hash = $1`,
      [vault.fingerprint(token)],
    );
    return Math.round(Number(rows[0].days));
  };

  test('is the lifetime of refresh tokens in games, 30 days by default', async () => {
    const other = await startTestApp({ env: { REFRESH_TOKEN_DAYS: '7' }, databaseUrl: app.databaseUrl });
    for (const [server, days] of [
      [app, 30],
      [other, 7],
    ] as const) {
      const created = await arrangePlayer(server, tenant);
      const credential = { provider: 'Mock', token: `mock:${created.username}:secret` };
      const known = (await server.http.post('/api/player-auth/login', credential, tenant)).body;
      const refreshed = (
        await server.http.post('/api/player-auth/refresh', { refreshToken: known.refreshToken }, tenant)
      ).body;
      const key = { 'idempotency-key': 'a-random-key' };
      const repeatable = (
        await server.http.post(
          '/api/player-auth/refresh',
          { refreshToken: refreshed.refreshToken },
          { ...tenant, headers: key },
        )
      ).body;
      for (const { refreshToken } of [created, known, refreshed, repeatable])
        assert.equal(await daysOf(refreshToken), days);
    }
  });
});
