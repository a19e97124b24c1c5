import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const stranger = await arrangeTenant(app);

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let count = 0;
const somebody = () => `mock:player-${++count}:secret`;
const logIn = (body: object, caller: object = tenant) =>
  app.http.post('/api/player-auth/login', { provider: 'Mock', ...body }, caller);
const create = (body: object, caller: object = tenant) =>
  app.http.post('/api/player-auth/players', { provider: 'Mock', ...body }, caller);
const exists = (body: object, caller: object = tenant) =>
  app.http.post('/api/player-auth/players/exists', { provider: 'Mock', ...body }, caller);

/** The row count of each table that a login writes. */
async function everythingWritten() {
  const tables = ['players', 'auth_methods', 'devices', 'tenant_access', 'login_sessions', 'login_ledger'];
  const counts = [...tables, 'refresh_tokens'].map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  return (await app.owner.query(`SELECT ${counts.join(', ')}`)).rows[0];
}

async function visibilityOf(playerId: string): Promise<string> {
  const { rows } = await app.owner.query(
    'SELECT profile_visibility AS visibility FROM players WHERE id = $1',
    [playerId],
  );
  return rows[0].visibility;
}

describe('POST /api/player-auth/login, /players and /players/exists', () => {
  test('creates the player at the first login, and finds the player at the second', async () => {
    const token = somebody();
    const first = await logIn({ token });
    assert.equal(first.status, 200, first.text);
    const { accessToken, refreshToken, playerId, sessionId, ...rest } = first.body;
    assert.deepEqual(rest, {
      tokenType: 'Bearer',
      expiresIn: 7200,
      isNewPlayer: true,
      tenantId: tenant.tenantId,
    });
    assert.match(accessToken, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.match(refreshToken, /^gh_refresh_[0-9a-f]{72}$/);
    assert.match(playerId, GUID);
    assert.match(sessionId, GUID);

    const second = await logIn({ token });
    assert.equal(second.body.isNewPlayer, false);
    assert.equal(second.body.playerId, playerId);
    assert.notEqual(second.body.sessionId, sessionId);
  });

  test('creates one player for sixteen parallel first logins', async () => {
    const body = { token: somebody(), deviceInfo: { deviceFingerprint: 'f'.repeat(16) } };
    const answers = await Promise.all(Array.from({ length: 16 }, () => logIn(body)));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(16).fill(200),
    );
    assert.equal(new Set(answers.map((answer) => answer.body.playerId)).size, 1);
    assert.equal(answers.filter((answer) => answer.body.isNewPlayer).length, 1);
    const { rows } = await app.owner.query(
      `SELECT device.login_count AS device, access.login_count AS access
     FROM devices device JOIN tenant_access access USING (player_id) WHERE player_id = $1`,
      [answers[0]?.body.playerId],
    );
    assert.deepEqual(rows, [{ device: 16, access: 16 }], 'each login is counted once');
  });

  test('returns 201 once and 409 otherwise for sixteen parallel creations', async () => {
    const token = somebody();
    const answers = await Promise.all(Array.from({ length: 16 }, () => create({ token })));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, ...Array(15).fill(409)]);
  });

  test('stores the password of a Mock username at the first login, and returns 401 for another one', async () => {
    const { username } = await arrangePlayer(app, tenant);
    const before = await everythingWritten();
    for (const password of ['wrong', 'Secret', 'secret ', 'secre'])
      assert.equal((await logIn({ token: `mock:${username}:${password}` })).body.code, 'invalid_credentials');
    assert.equal(
      (await logIn({ token: `mock:${username}:wrong` })).body.detail,
      'The password of this Mock player is wrong. The first sign-in of a Mock name sets its password.',
    );
    assert.equal(
      (await create({ token: `mock:${username}:wrong` })).status,
      401,
      'does not disclose whether the player exists',
    );
    assert.deepEqual(await everythingWritten(), before);
  });

  test('returns 401 for a malformed Mock token', async () => {
    for (const token of [
      'mock',
      'mock:',
      'mock:ada',
      'mock:ada:',
      'mock::secret',
      'mock: :secret',
      'Mock:ada:secret',
      ' mock:ada:secret',
      'other:ada:secret',
      'ada:secret',
      `mock:${'a'.repeat(65)}:secret`,
      `mock:${'🐴'.repeat(65)}:secret`,
    ]) {
      const answer = await logIn({ token });
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_credentials'], token);
    }
    assert.equal((await logIn({ token: `mock:${'🐴'.repeat(64)}:se:cret` })).status, 200, 'at the limit');
  });

  test('returns 400 for an unknown provider, and 422 for a disabled or unconfigured one', async () => {
    for (const provider of [
      'mock',
      'StoreC',
      'EvmWallet',
      'EmailOneTimeCode',
      '',
      null,
      5,
      ['Mock'],
      undefined,
    ]) {
      assert.equal((await logIn({ provider, token: somebody() })).status, 400, String(provider));
      assert.equal((await create({ provider, token: somebody() })).status, 400, String(provider));
    }
    const bare = await arrangeTenant(app, { providers: ['StoreA'] });
    for (const provider of ['StoreA', 'StoreB', 'WalletJwt', 'Mock']) {
      for (const ask of [logIn, create]) {
        const answer = await ask({ provider, token: somebody() }, bare);
        assert.deepEqual([answer.status, answer.body.code], [422, 'provider_not_available'], provider);
      }
    }
  });

  test('returns 404 for a missing player with createAccountIfMissing=false', async () => {
    const token = somebody();
    const before = await everythingWritten();
    const missing = await logIn({ token, createAccountIfMissing: false });
    assert.deepEqual([missing.status, missing.body.code], [404, 'player_not_found']);
    assert.deepEqual(await everythingWritten(), before);

    assert.equal((await logIn({ token, createAccountIfMissing: true })).body.isNewPlayer, true);
    assert.equal((await logIn({ token, createAccountIfMissing: false })).status, 200);
    for (const createAccountIfMissing of ['true', 'false', 1, 0])
      assert.equal(
        (await logIn({ token, createAccountIfMissing })).status,
        400,
        String(createAccountIfMissing),
      );
  });

  test('applies profileVisibility to a new player only', async () => {
    for (const profileVisibility of ['private', 'limited', 'full', undefined]) {
      for (const ask of [logIn, create]) {
        const { body } = await ask({ token: somebody(), profileVisibility });
        assert.equal(await visibilityOf(body.playerId), profileVisibility ?? 'limited');
      }
    }
    const token = somebody();
    const { playerId } = (await logIn({ token, profileVisibility: 'private' })).body;
    assert.equal((await logIn({ token, profileVisibility: 'full' })).status, 200);
    assert.equal(await visibilityOf(playerId), 'private');
    for (const profileVisibility of ['', 'Full', 'public', 1])
      assert.equal((await logIn({ token, profileVisibility })).status, 400, String(profileVisibility));
  });

  test('creates a player once, with the response of a login', async () => {
    const token = somebody();
    const created = await create({ token });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.isNewPlayer, true);
    const before = await everythingWritten();
    const again = await create({ token });
    assert.deepEqual([again.status, again.body.code], [409, 'player_exists']);
    assert.deepEqual(await everythingWritten(), before);
    assert.equal((await logIn({ token })).body.playerId, created.body.playerId);
  });

  test('finds existing players, and neither creates nor signs in', async () => {
    const { username, playerId } = await arrangePlayer(app, tenant);
    const before = await everythingWritten();
    const found = await exists({ providerUserId: ` ${username} ` });
    assert.deepEqual([found.status, found.body], [200, { playerId }]);
    const missing = await exists({ providerUserId: `${username}x` });
    assert.deepEqual([missing.status, missing.body.code], [404, 'player_not_found']);
    assert.equal((await exists({ providerUserId: username }, stranger)).status, 404, 'of another workspace');
    assert.equal((await exists({ provider: 'StoreA', providerUserId: username })).status, 422);
    assert.deepEqual(await everythingWritten(), before);
    for (const providerUserId of ['', '  ', 'x'.repeat(513), 5, null, undefined, {}])
      assert.equal((await exists({ providerUserId })).status, 400, String(providerUserId));
  });

  test('maps one Mock username to one player in each workspace', async () => {
    const token = somebody();
    const here = await logIn({ token });
    const next = await logIn({ token }, neighbour);
    assert.equal(next.body.playerId, here.body.playerId);
    assert.equal(next.body.isNewPlayer, false, 'new to the tenant, but no new player');
    assert.equal(next.body.tenantId, neighbour.tenantId);
    assert.equal((await create({ token }, neighbour)).status, 409);

    const elsewhere = await logIn({ token: token.replace(':secret', ':other') }, stranger);
    assert.equal(elsewhere.body.isNewPlayer, true);
    assert.notEqual(elsewhere.body.playerId, here.body.playerId);
  });

  test('counts logins, and stores the first and last one in the access record', async () => {
    const token = somebody();
    const { playerId } = (await logIn({ token })).body;
    await logIn({ token });
    await logIn({ token });
    await logIn({ token }, neighbour);
    const { rows } = await app.owner.query(
      `SELECT access.tenant_id AS "tenantId", access.login_count AS count, tenant_role AS role,
            first_seen_at = min(occurred_at) AND last_seen_at = max(occurred_at) AS "seenIsRight"
     FROM tenant_access access JOIN login_ledger USING (tenant_id, player_id)
     WHERE player_id = $1 GROUP BY access.tenant_id, access.player_id ORDER BY count`,
      [playerId],
    );
    assert.deepEqual(rows, [
      { tenantId: neighbour.tenantId, count: 1, role: 'player', seenIsRight: true },
      { tenantId: tenant.tenantId, count: 3, role: 'player', seenIsRight: true },
    ]);
  });

  test('refuses a banned player and a closed account', async () => {
    const token = somebody();
    const { playerId } = (await logIn({ token })).body;
    await logIn({ token }, neighbour);
    const ban = (until: string | null) =>
      app.owner.query('UPDATE tenant_access SET banned_until = $3 WHERE tenant_id = $1 AND player_id = $2', [
        tenant.tenantId,
        playerId,
        until,
      ]);
    await ban('infinity');
    const before = await everythingWritten();
    const banned = await logIn({ token });
    assert.deepEqual([banned.status, banned.body.code], [403, 'player_banned']);
    const again = await create({ token });
    assert.deepEqual([again.status, again.body.code], [403, 'player_banned'], 'before player_exists');
    assert.deepEqual(await everythingWritten(), before);
    assert.equal((await logIn({ token }, neighbour)).status, 200, 'a ban applies in its tenant only');
    await ban('2026-01-01T00:00:00Z');
    assert.equal((await logIn({ token })).status, 200, 'a ban ends');

    await app.owner.query('UPDATE players SET is_active = false WHERE id = $1', [playerId]);
    assert.equal((await logIn({ token })).status, 401);
  });

  test('refuses a player who is deactivated during the sign-in', async () => {
    const { username, playerId } = await arrangePlayer(app, tenant);
    const closing = await app.owner.connect();
    await closing.query('BEGIN');
    await closing.query('UPDATE players SET is_active = false WHERE id = $1', [playerId]);
    const signingIn = app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:${username}:secret` },
      tenant,
    );
    const isWaiting = async () =>
      (
        await app.owner.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount === 1;
    await eventually(isWaiting);
    const free = await closing.query('SELECT FROM tenant_access WHERE player_id = $1 FOR UPDATE NOWAIT', [
      playerId,
    ]);
    assert.equal(free.rowCount, 1, 'a login locks the player first');
    await closing.query('COMMIT');
    closing.release();
    const { status, body } = await signingIn;
    assert.deepEqual([status, body.code], [401, 'invalid_credentials']);
    const { rows } = await app.owner.query('SELECT count(*)::int FROM login_sessions WHERE player_id = $1', [
      playerId,
    ]);
    assert.equal(rows[0].count, 1);
  });

  test('ignores unknown members, and does not coerce known ones', async () => {
    const token = somebody();
    assert.equal((await logIn({ token, nonsense: { deep: [1] }, isAdmin: true })).status, 200);
    for (const wrong of [5, true, null, [token], { token }, undefined, '', 'x'.repeat(16_385)])
      assert.equal((await logIn({ token: wrong })).status, 400, String(wrong));
  });

  test('checks the game key before the body', async () => {
    for (const path of ['login', 'players', 'players/exists']) {
      for (const caller of [
        {},
        { gameKey: tenant.apiKey },
        { apiKey: tenant.apiKey },
        { gameKey: randomUUID() },
      ]) {
        const answer = await app.http.raw('POST', `/api/player-auth/${path}`, '{', caller);
        assert.equal(answer.status, 401, path);
      }
    }
  });
});
