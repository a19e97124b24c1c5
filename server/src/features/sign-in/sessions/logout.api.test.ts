import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { logoutMetadataOf } from '../../../testing/ledger-data.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const stranger = await arrangeTenant(app);

const logOut = (body: object, caller: object = { gameKey: tenant.gameKey }, { http } = app) =>
  http.post('/api/player-auth/logout', body, caller);
const rows = async (table: string, sessionId: string) =>
  (
    await app.owner.query(`SELECT to_jsonb(r) AS row FROM ${table} r WHERE session_id = $1`, [sessionId])
  ).rows.map(({ row }) => row);

describe('POST /api/player-auth/logout', () => {
  test('ends the session and writes one ledger row', async () => {
    const player = await arrangePlayer(app, tenant);
    const deviceId = randomUUID();
    const answer = await logOut({ sessionId: player.sessionId.toUpperCase(), deviceId, reason: 'kicked' });
    assert.equal(answer.status, 200, answer.text);
    const { endedAt, ...rest } = answer.body;
    assert.deepEqual(rest, { sessionId: player.sessionId, reason: 'user_logout' });
    assert.ok(Math.abs(Date.parse(endedAt) - Date.now()) < 10_000);

    const [ledger, ...more] = await rows('logout_ledger', player.sessionId);
    assert.deepEqual(more, []);
    const { id, occurred_at, created_at_gl, received_at_db, personal_data, ...said } = ledger;
    assert.deepEqual(said, {
      tenant_id: tenant.tenantId,
      session_id: player.sessionId,
      player_id: player.playerId,
      reason: 'user_logout',
      message: null,
    });
    assert.deepEqual(await logoutMetadataOf(app, player.sessionId), { deviceId });
    assert.ok(id && created_at_gl && received_at_db && personal_data);
    const [session] = await rows('login_sessions', player.sessionId);
    assert.deepEqual([session.ended_at, session.last_seen_at], [occurred_at, occurred_at]);
    assert.equal(Date.parse(occurred_at), Date.parse(endedAt));
    assert.ok(session.started_at < session.ended_at, 'started_at is never updated');

    const events = await app.http.post('/api/game/player-events', { events: [] }, player.caller);
    assert.equal(events.status, 400, 'the access token stays valid until it expires');
  });

  test('returns the first end to every later and parallel request', async () => {
    const { sessionId } = await arrangePlayer(app, tenant);
    const answers = await Promise.all(Array.from({ length: 12 }, () => logOut({ sessionId })));
    answers.push(await logOut({ sessionId, deviceId: randomUUID() }));
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body, answers[0]?.body);
    }
    assert.equal((await rows('logout_ledger', sessionId)).length, 1);
  });

  test('keeps the reason of the first end', async () => {
    const { sessionId } = await arrangePlayer(app, tenant);
    await app.owner.query(
      `UPDATE login_sessions SET ended_at = now(), end_reason = 'kicked' WHERE session_id = $1`,
      [sessionId],
    );
    assert.equal((await logOut({ sessionId })).body.reason, 'kicked');
  });

  test('returns the same 404 for an unknown session and one of another tenant', async () => {
    const foreign = await arrangePlayer(app, stranger);
    for (const sessionId of [randomUUID(), foreign.sessionId]) {
      const answer = await logOut({ sessionId });
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
    }
    assert.equal((await rows('logout_ledger', foreign.sessionId)).length, 0);
  });

  test('requires the session’s player if a bearer is sent, and returns 401 for an invalid bearer', async () => {
    const [ada, bob] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const foreign = await arrangePlayer(app, stranger);
    const body = { sessionId: ada.sessionId };
    assert.equal((await logOut(body, bob.caller)).status, 403);
    for (const bearer of ['x.y.z', `${ada.accessToken}x`, foreign.accessToken, ada.refreshToken])
      assert.equal((await logOut(body, { ...ada.caller, bearer })).status, 401);
    assert.equal(
      (await logOut(body, { ...ada.caller, headers: { authorization: 'Basic eA==' } })).status,
      401,
    );
    assert.equal((await logOut(body, { ...ada.caller, gameKey: tenant.apiKey })).status, 401);
    assert.equal((await rows('logout_ledger', ada.sessionId)).length, 0);
    assert.equal((await logOut(body, ada.caller)).status, 200);
  });

  test('requires the token of the player if the game key has requirePlayerToken', async () => {
    const [ada, bob] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const created = await app.http.post(
      `/api/bus_tenants/${tenant.tenantId}/game-keys`,
      { name: 'client', requirePlayerToken: true },
      await arrangeAccount(app, tenant, 'admin'),
    );
    const { key: gameKey } = created.body;
    const body = { sessionId: ada.sessionId };
    const refused = await logOut(body, { gameKey });
    assert.deepEqual([refused.status, refused.body.code], [401, 'missing_bearer']);
    assert.equal((await logOut(body, { gameKey, bearer: bob.accessToken })).status, 403);
    assert.equal((await rows('logout_ledger', ada.sessionId)).length, 0);
    assert.equal((await logOut(body, { gameKey, bearer: ada.accessToken })).status, 200);
  });

  test('returns 400 for ids that are not GUIDs', async () => {
    const { sessionId } = await arrangePlayer(app, tenant);
    for (const wrong of [
      '',
      'x',
      5,
      null,
      undefined,
      `urn:uuid:${sessionId}`,
      `{${sessionId}}`,
      `${sessionId} `,
      sessionId.replaceAll('-', ''),
    ])
      assert.equal((await logOut({ sessionId: wrong })).status, 400, String(wrong));
    for (const deviceId of ['x', 5, `urn:uuid:${sessionId}`])
      assert.equal((await logOut({ sessionId, deviceId })).status, 400, String(deviceId));
  });

  test('persists the logout across a restart', async () => {
    const player = await arrangePlayer(app, tenant);
    const first = await logOut({ sessionId: player.sessionId });
    const restarted = await startTestApp({ databaseUrl: app.databaseUrl });
    const refreshed = await restarted.http.post(
      '/api/player-auth/refresh',
      { refreshToken: player.refreshToken },
      { gameKey: tenant.gameKey },
    );
    assert.equal(refreshed.status, 401);
    const again = await logOut({ sessionId: player.sessionId }, undefined, restarted);
    assert.deepEqual(again.body, first.body);
  });
});
