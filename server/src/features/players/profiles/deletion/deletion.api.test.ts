import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant, mockClient } from '../../../../testing/arrange.ts';
import { uploadAvatar } from '../../../../testing/avatars.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { holdLogins } from '../../../../testing/hold-logins.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import { later } from '../../../../testing/race.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp({ env: { LOG_LEVEL: 'silent' } });
const tenant = await arrangeTenant(app);
const { logIn, refresh } = mockClient(app, tenant);
const ME = '/api/player-profile/me';

const remove = (caller: Caller) => app.http.delete(ME, caller);
const read = async (caller: Caller) => (await app.http.get(ME, caller)).body;
const newName = () => randomBytes(6).toString('hex');
const mock = (username: string) => ({ provider: 'Mock', token: `mock:${username}:secret` });

async function newPlayer() {
  const { playerId, username, accessToken, refreshToken } = await arrangePlayer(app, tenant);
  return { playerId, username, bearer: accessToken, refreshToken };
}

/** The number of sessions of a player that are not revoked. */
async function countValidSessions(playerId: string): Promise<number> {
  const { rowCount } = await app.owner.query(
    'SELECT FROM login_sessions WHERE player_id = $1 AND tokens_revoked_at IS NULL',
    [playerId],
  );
  return rowCount ?? 0;
}

describe('DELETE /api/player-profile/me', () => {
  test('clears and deactivates the profile and ends every session', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const player = await newPlayer();
    const { body: elsewhere } = await logIn(player.username, sibling);
    await app.http.post(`${ME}/auth-methods`, mock(newName()), player);
    await app.http.patch(ME, { displayName: 'Ada', profileVisibility: 'full' }, player);
    assert.equal((await uploadAvatar(app, player.bearer)).status, 200);
    await app.owner.query(
      `UPDATE players SET email = 'ada@example.com', platform_role = 'Admin' WHERE id = $1`,
      [player.playerId],
    );
    const shop = { audience: 'https://shop.example', includeRefreshToken: true };
    const caller = { gameKey: tenant.gameKey, bearer: player.bearer };
    assert.equal((await app.http.post('/api/player-auth/jwt/exchange', shop, caller)).status, 200);
    const before = await read(player);
    assert.equal((await readdir(app.avatars)).length, 1);

    const deleted = await remove(player);
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
    assert.match(deleted.headers.get('x-deletion-receipt') ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      await read(player),
      {
        ...before,
        displayName: null,
        avatarUrl: null,
        email: null,
        platformRole: 'User',
        profileVisibility: 'private',
        isActive: false,
        authMethods: [],
      },
      'the access token still reads the remaining data',
    );
    assert.deepEqual(await readdir(app.avatars), []);
    assert.equal((await refresh(player.refreshToken)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 401);
    const { rows } = await app.owner.query('SELECT FROM auth_methods WHERE player_id = $1', [
      player.playerId,
    ]);
    assert.equal(rows.length, 0);
    const { rows: thirdPartyTokens } = await app.owner.query(
      `SELECT revoked_at IS NOT NULL AS "isRevoked", display_name AS "displayName", email
       FROM third_party_refresh_tokens WHERE player_id = $1`,
      [player.playerId],
    );
    assert.deepEqual(thirdPartyTokens, [{ isRevoked: true, displayName: null, email: null }]);
    const again = await logIn(player.username);
    assert.equal(again.body.isNewPlayer, true);
    assert.notEqual(again.body.playerId, player.playerId);
  });

  test('refuses later changes with 400, and is idempotent', async () => {
    const player = await newPlayer();
    const other = await newPlayer();
    await remove(player);
    const left = await read(player);
    const answers = [
      await app.http.patch(ME, { displayName: 'Ada' }, player),
      await app.http.post(`${ME}/auth-methods`, mock(newName()), player),
      await app.http.delete(`${ME}/auth-methods/${other.playerId}`, player),
      await app.http.post(`${ME}/auth-methods/${other.playerId}/set-primary`, undefined, player),
      await uploadAvatar(app, player.bearer),
    ];
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      answers.map(() => [400, 'profile_deleted']),
    );
    assert.equal((await remove(player)).status, 204);
    assert.deepEqual(await read(player), left);
    assert.deepEqual((await app.http.get(`${ME}/bus_tenants`, player)).body, left.tenantAccess);
    assert.deepEqual(await readdir(app.avatars), [], 'the refused image is not stored');
    assert.equal((await read(other)).isActive, true);
  });

  test('writes one audit record, and succeeds when the record cannot be written', async () => {
    const records = async (playerId: string) =>
      (
        await app.owner.query(
          'SELECT action, actor_kind, actor_id, tenant_id FROM audit_records WHERE target_id = $1',
          [playerId],
        )
      ).rows;
    const player = await newPlayer();
    await remove(player);
    await remove(player);
    assert.deepEqual(await records(player.playerId), [
      {
        action: 'player.self_deleted',
        actor_kind: 'player',
        actor_id: player.playerId,
        tenant_id: tenant.tenantId,
      },
    ]);

    const unlucky = await newPlayer();
    await app.owner.query('REVOKE INSERT ON audit_records FROM guildhall_app');
    try {
      assert.equal((await remove(unlucky)).status, 204);
    } finally {
      await app.owner.query('GRANT INSERT ON audit_records TO guildhall_app');
    }
    assert.equal((await read(unlucky)).isActive, false);
    assert.deepEqual(await records(unlucky.playerId), []);
  });

  test('leaves no valid session or method after concurrent sign-ins, refreshes, links and changes', async () => {
    for (let round = 0; round < 15; round++) {
      const player = await newPlayer();
      const { body: second } = await logIn(player.username);
      const linked = newName();
      const [deleted, ...others] = await Promise.all([
        later(() => remove(player)),
        later(() => refresh(player.refreshToken)),
        later(() => refresh(second.refreshToken)),
        later(() => app.http.post(`${ME}/auth-methods`, mock(linked), player)),
        later(() => app.http.patch(ME, { displayName: 'Ada' }, player)),
        ...[1, 2, 3, 4].map(() => later(() => logIn(player.username))),
      ]);
      assert.equal(deleted.status, 204, deleted.text);
      for (const { status, text } of others) assert.ok([200, 201, 400, 401].includes(status), text);

      const { rows } = await app.owner.query('SELECT FROM auth_methods WHERE player_id = $1', [
        player.playerId,
      ]);
      assert.equal(rows.length, 0);
      const { displayName, isActive } = await read(player);
      assert.deepEqual([displayName, isActive], [null, false]);
      assert.equal(await countValidSessions(player.playerId), 0);
      for (const { body } of others)
        if (body?.refreshToken && body.playerId === player.playerId)
          assert.equal((await refresh(body.refreshToken)).status, 401);
      const newcomers = others.flatMap(({ body }) =>
        body?.refreshToken && body.playerId !== player.playerId ? [body.playerId] : [],
      );
      const { body: now } = await logIn(player.username);
      assert.notEqual(now.playerId, player.playerId);
      assert.ok(
        newcomers.every((playerId) => playerId === now.playerId),
        'one new player, not several',
      );
      assert.notEqual((await logIn(linked)).body.playerId, player.playerId);
    }
  });

  test('revokes the token of a concurrent login', async () => {
    const player = await newPlayer();
    const held = await holdLogins(app);
    const signingIn = logIn(player.username);
    await held.arrival();
    const deleting = remove(player);
    await untilBlocked(app);
    await held.release();
    const [signedIn, deleted] = await Promise.all([signingIn, deleting]);
    assert.deepEqual([signedIn.status, deleted.status], [200, 204]);
    assert.equal(signedIn.body.playerId, player.playerId, 'the login commits first');
    assert.equal((await refresh(signedIn.body.refreshToken)).status, 401);
    assert.equal(await countValidSessions(player.playerId), 0);
  });
});
