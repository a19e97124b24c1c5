import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { partOf } from '../../../testing/forgeries.ts';
import { later, raceInEachOrder } from '../../../testing/race.ts';
import { rowsRead } from '../../../testing/rows-read.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { commitWhileWaiting } from '../../../testing/while-locked.ts';
import { vault } from '../../../testing/test-vault.ts';
import { redactThirdPartyTokens, revokeFamily } from './queries.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const neighbour = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const { gameKey } = tenant;

const AUDIENCE = 'https://shop.example';
const exchange = (bearer: string, body: object = { audience: AUDIENCE }, key = gameKey) =>
  app.http.post('/api/player-auth/jwt/exchange', body, { gameKey: key, bearer });
const codeOf = async (bearer: string, body?: object, key?: string) => {
  const answer = await exchange(bearer, body, key);
  return answer.body.code ?? answer.status;
};
const ban = (playerId: string) =>
  app.http.post(`/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`, {}, admin);
const logOut = (sessionId: string) => app.http.post('/api/player-auth/logout', { sessionId }, { gameKey });
const change = (assignment: string, token: string) =>
  app.owner.query(`UPDATE third_party_refresh_tokens SET ${assignment} WHERE token_hash = $1`, [
    vault.fingerprint(token),
  ]);
const auditOf = async (sessionId: string) =>
  (
    await app.owner.query(
      'SELECT action, actor_kind, actor_id, tenant_id, details FROM audit_records WHERE target_id = $1',
      [sessionId],
    )
  ).rows;

/** Arranges a player with a refresh token for a third party. */
async function arrangeThirdParty() {
  const player = await arrangePlayer(app, tenant);
  await app.owner.query(`UPDATE players SET display_name = 'Ada', email = 'ada@example.com' WHERE id = $1`, [
    player.playerId,
  ]);
  const answer = await exchange(player.accessToken, { audience: AUDIENCE, includeRefreshToken: true });
  assert.equal(answer.status, 200, answer.text);
  return { ...player, thirdPartyToken: answer.body.refreshToken as string };
}

describe("POST /api/player-auth/jwt/exchange with a third party's refresh token", () => {
  test('returns a refresh token on request, which yields assertions for its audience', async () => {
    const player = await arrangeThirdParty();
    assert.match(player.thirdPartyToken, /^gh_thirdparty_[0-9a-f]{72}$/);
    const { status, body } = await exchange(player.thirdPartyToken);
    assert.equal(status, 200);
    const { assertionToken, refreshToken, ...rest } = body;
    assert.deepEqual(rest, { tokenType: 'Bearer', expiresIn: 300, audience: AUDIENCE });
    assert.notEqual(refreshToken, player.thirdPartyToken);
    const { sub, sid, tid, aud } = partOf(assertionToken, 1);
    assert.deepEqual([sub, sid, tid, aud], [player.playerId, player.sessionId, tenant.tenantId, AUDIENCE]);
    const validated = await app.http.post(
      '/api/player-auth/jwt/validate',
      { audience: AUDIENCE },
      { gameKey, bearer: assertionToken },
    );
    assert.equal(validated.status, 200);
    assert.equal(await codeOf(refreshToken), 200, 'the new one works');
  });

  test('keeps the name and address from the first exchange', async () => {
    const player = await arrangeThirdParty();
    await app.owner.query(`UPDATE players SET display_name = 'Eve', email = NULL WHERE id = $1`, [
      player.playerId,
    ]);
    let token = player.thirdPartyToken;
    for (let round = 0; round < 2; round++) {
      const { body } = await exchange(token);
      const { name, email } = partOf(body.assertionToken, 1);
      assert.deepEqual([name, email], ['Ada', 'ada@example.com']);
      token = body.refreshToken;
    }
    const { body } = await exchange(player.accessToken);
    assert.equal(partOf(body.assertionToken, 1).name, 'Eve', 'the player’s own token has the current name');
  });

  test('erases the name and address of a used token, and returns them to a repeated exchange', async () => {
    const { thirdPartyToken, playerId } = await arrangeThirdParty();
    const repeat = () =>
      app.http.post(
        '/api/player-auth/jwt/exchange',
        { audience: AUDIENCE },
        { gameKey, bearer: thirdPartyToken, headers: { 'idempotency-key': 'exchange-1' } },
      );
    const [first, second] = [await repeat(), await repeat()];
    assert.equal(second.body.refreshToken, first.body.refreshToken, second.text);
    const { name, email } = partOf(second.body.assertionToken, 1);
    assert.deepEqual([name, email], ['Ada', 'ada@example.com']);
    const { rows } = await app.owner.query(
      `SELECT used_at IS NOT NULL AS used, display_name AS name, email FROM third_party_refresh_tokens WHERE player_id = $1
       ORDER BY used DESC`,
      [playerId],
    );
    assert.deepEqual(rows, [
      { used: true, name: null, email: null },
      { used: false, name: 'Ada', email: 'ada@example.com' },
    ]);
  });

  test('returns 401 for another audience, and keeps the token valid', async () => {
    const { thirdPartyToken } = await arrangeThirdParty();
    for (const audience of ['https://other.example', `${AUDIENCE}/`])
      assert.equal(await codeOf(thirdPartyToken, { audience }), 'audience_mismatch');
    assert.equal(await codeOf(thirdPartyToken, {}), 'invalid_request');
    assert.equal(await codeOf(thirdPartyToken), 200);
  });

  test('returns the same 401 for a token of another tenant, a token never issued and an expired token', async () => {
    const { thirdPartyToken } = await arrangeThirdParty();
    const bad = 'invalid_refresh_token';
    assert.equal(await codeOf(thirdPartyToken, undefined, neighbour.gameKey), bad);
    assert.equal(await codeOf(newOpaqueToken('thirdparty')), bad);
    await change('expires_at = now()', thirdPartyToken);
    assert.equal(await codeOf(thirdPartyToken), bad);
  });

  test('accepts the token only here, and no other kind of refresh token', async () => {
    const { thirdPartyToken, refreshToken } = await arrangeThirdParty();
    const refresh = await app.http.post(
      '/api/player-auth/refresh',
      { refreshToken: thirdPartyToken },
      { gameKey },
    );
    assert.equal(refresh.status, 401);
    const validated = await app.http.post(
      '/api/player-auth/jwt/validate',
      { audience: AUDIENCE },
      { gameKey, bearer: thirdPartyToken },
    );
    assert.deepEqual([validated.status, validated.body.code], [401, 'invalid_bearer']);
    assert.equal(await codeOf(refreshToken), 'invalid_bearer');
    const events = await app.http.post(
      '/api/game/player-events',
      { events: [] },
      { gameKey, bearer: thirdPartyToken },
    );
    assert.equal(events.status, 401);
  });

  test('lets one of fifty parallel exchanges succeed, and keeps its token valid', async () => {
    const { thirdPartyToken, sessionId } = await arrangeThirdParty();
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(thirdPartyToken)));
    const codes = answers.map((answer) => answer.body.code ?? answer.status);
    assert.deepEqual(codes.toSorted(), [200, ...Array(49).fill('invalid_refresh_token')]);
    const winner = answers.find(({ status }) => status === 200)!;
    assert.equal(await codeOf(winner.body.refreshToken), 200, 'the new one works');
    assert.deepEqual(await auditOf(sessionId), []);
  });

  test('revokes only the family when a token is used again after ten seconds, and audits it once', async () => {
    const player = await arrangeThirdParty();
    const other = (await exchange(player.accessToken, { audience: 'other', includeRefreshToken: true })).body;
    const next = (await exchange(player.thirdPartyToken)).body.refreshToken;
    await change(`used_at = now() - interval '7 seconds'`, player.thirdPartyToken);
    assert.equal(await codeOf(player.thirdPartyToken), 'invalid_refresh_token');
    const newest = (await exchange(next)).body.refreshToken;
    assert.ok(newest, 'within ten seconds nothing is revoked');

    await change(`used_at = now() - interval '11 seconds'`, player.thirdPartyToken);
    const replays = await Promise.all(Array.from({ length: 5 }, () => codeOf(player.thirdPartyToken)));
    assert.deepEqual(replays, Array(5).fill('invalid_refresh_token'));
    assert.equal(await codeOf(newest), 'invalid_refresh_token');
    assert.deepEqual(await auditOf(player.sessionId), [
      {
        action: 'third_party_token.reused',
        actor_kind: 'player',
        actor_id: player.playerId,
        tenant_id: tenant.tenantId,
        details: { audience: AUDIENCE, consequence: 'no refresh token of this family works any more' },
      },
    ]);
    assert.equal(
      await codeOf(other.refreshToken, { audience: 'other' }),
      200,
      'another family is not revoked',
    );
    const refresh = await app.http.post(
      '/api/player-auth/refresh',
      { refreshToken: player.refreshToken },
      { gameKey },
    );
    assert.equal(refresh.status, 200, 'the player’s own token is not revoked');
  });

  test('revokes every token when a reuse and exchanges run in parallel', async () => {
    for (let round = 0; round < 15; round++) {
      const { thirdPartyToken } = await arrangeThirdParty();
      let newest = (await exchange(thirdPartyToken)).body.refreshToken;
      await change(`used_at = now() - interval '11 seconds'`, thirdPartyToken);
      const useOn = async () => {
        for (let uses = 0; uses < 50; uses++) {
          const { status, body } = await exchange(newest);
          if (status !== 200) return;
          newest = body.refreshToken;
        }
      };
      await Promise.all([useOn(), later(() => exchange(thirdPartyToken))]);
      assert.equal(await codeOf(newest), 'invalid_refresh_token', `round ${round}`);
    }
  });

  test('returns 401 after logout, device block and reuse of the player’s refresh token, and 403 after a ban', async () => {
    const left = await arrangeThirdParty();
    assert.equal((await logOut(left.sessionId)).status, 200);
    assert.equal(await codeOf(left.thirdPartyToken), 'invalid_refresh_token');
    const again = { audience: AUDIENCE, includeRefreshToken: true };
    assert.equal(await codeOf(left.accessToken, again), 'session_ended');
    assert.equal(await codeOf(left.accessToken), 200, 'the access token stays valid until it expires');

    const banned = await arrangeThirdParty();
    assert.equal((await ban(banned.playerId)).status, 201);
    assert.equal(await codeOf(banned.thirdPartyToken), 'player_banned');
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${banned.playerId}/ban`;
    assert.equal((await app.http.delete(path, admin)).status, 204);
    assert.equal(
      await codeOf(banned.thirdPartyToken),
      'invalid_refresh_token',
      'a lifted ban restores no token',
    );

    const login = await app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: 'mock:blocked:secret', deviceInfo: { deviceFingerprint: 'f'.repeat(16) } },
      { gameKey },
    );
    const bearer = login.body.accessToken as string;
    const { refreshToken } = (await exchange(bearer, again)).body;
    const [device] = (await app.http.get('/api/player/devices', { bearer })).body;
    assert.equal(
      (await app.http.patch(`/api/player/devices/${device.id}`, { isBlocked: true }, { bearer })).status,
      200,
    );
    assert.equal(await codeOf(refreshToken), 'invalid_refresh_token');
    assert.equal(await codeOf(bearer, again), 'session_ended');

    const leaked = await arrangeThirdParty();
    const refresh = () =>
      app.http.post('/api/player-auth/refresh', { refreshToken: leaked.refreshToken }, { gameKey });
    assert.equal((await refresh()).status, 200);
    await app.owner.query(
      `UPDATE refresh_tokens SET used_at = now() - interval '11 seconds' WHERE token_hash = $1`,
      [vault.fingerprint(leaked.refreshToken)],
    );
    assert.equal((await refresh()).status, 401);
    assert.equal(await codeOf(leaked.thirdPartyToken), 'invalid_refresh_token');
    assert.equal(await codeOf(leaked.accessToken, again), 'invalid_bearer');

    const closed = await arrangeThirdParty();
    await app.owner.query('UPDATE players SET is_active = false WHERE id = $1', [closed.playerId]);
    assert.equal(await codeOf(closed.thirdPartyToken), 'player_inactive');
  });

  type ThirdParty = Awaited<ReturnType<typeof arrangeThirdParty>>;
  const ends: Record<string, (player: ThirdParty) => Promise<unknown>> = {
    logout: ({ sessionId }) => logOut(sessionId),
    ban: ({ playerId }) => ban(playerId),
  };
  const ways: Record<string, (player: ThirdParty) => ReturnType<typeof exchange>> = {
    'an exchange': ({ thirdPartyToken }) => exchange(thirdPartyToken),
    'a first exchange': ({ accessToken }) =>
      exchange(accessToken, { audience: AUDIENCE, includeRefreshToken: true }),
  };
  for (const [end, endSession] of Object.entries(ends)) {
    for (const [way, obtain] of Object.entries(ways)) {
      test(`leaves no working refresh token when ${way} and a ${end} run in parallel`, async () => {
        await raceInEachOrder(20, async (first, second, round) => {
          const player = await arrangeThirdParty();
          const [obtained] = await Promise.all([
            first(() => obtain(player)),
            second(() => endSession(player)),
          ]);
          for (const token of [player.thirdPartyToken, obtained.body.refreshToken ?? player.thirdPartyToken])
            assert.ok([401, 403].includes((await exchange(token)).status), `round ${round}`);
          return obtained.status === 200;
        });
      });
    }
  }

  for (const [way, obtain] of Object.entries(ways)) {
    test(`returns 401 when ${way} waits for a logout to commit`, async () => {
      const player = await arrangeThirdParty();
      const { status } = await commitWhileWaiting(
        app,
        (logout) =>
          logout.query(
            `UPDATE login_sessions SET ended_at = now(), end_reason = 'user_logout' WHERE session_id = $1`,
            [player.sessionId],
          ),
        () => obtain(player),
      );
      assert.equal(status, 401);
    });
  }

  test('stores neither the token nor the assertion in plain text', async () => {
    const { thirdPartyToken } = await arrangeThirdParty();
    const { rows } = await app.owner.query(
      'SELECT third_party_refresh_tokens::text AS row FROM third_party_refresh_tokens',
    );
    assert.ok(rows.length > 0);
    for (const { row } of rows) assert.ok(!row.includes(thirdPartyToken.slice(14, 40)));
  });
});

describe('the used refresh tokens of a third party', async () => {
  const [familyId, playerId] = [randomUUID(), randomUUID()];
  await app.owner.query(
    `INSERT INTO third_party_refresh_tokens
       (tenant_id, token_hash, family_id, session_id, player_id, audience, expires_at, used_at)
     SELECT $1, int4send(number), $2, $3, $3, $4, now() + interval '1 day', CASE WHEN number < 5000 THEN now() END
     FROM generate_series(1, 5000) number`,
    [tenant.tenantId, familyId, playerId, AUDIENCE],
  );

  test('are not read by the revocation of the family', async () => {
    const { tenantId } = tenant;
    const rows = await rowsRead(app.owner, tenant, (db) =>
      revokeFamily(db, { tenantId, playerId, familyId }),
    );
    assert.ok(rows < 10, `read ${rows} rows`);
  });

  test('are not read by the deletion of the player', async () => {
    const rows = await rowsRead(app.owner, { playerId }, (db) => redactThirdPartyTokens(db, playerId));
    assert.ok(rows < 10, `read ${rows} rows`);
  });
});
