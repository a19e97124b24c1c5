import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
  mockClient,
} from '../../../../testing/arrange.ts';
import { uploadAvatar } from '../../../../testing/avatars.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { holdLogins } from '../../../../testing/hold-logins.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import { later } from '../../../../testing/race.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp({ env: { LOG_LEVEL: 'silent' } });
const tenant = await arrangeTenant(app);
const admin = await arrangePlatformAdmin(app);

const remove = (playerId: string, caller: Caller = admin) =>
  app.http.delete(`/api/admin/players/${playerId}`, caller);
const { logIn, refresh } = mockClient(app, tenant);

const recordsOf = async (playerId: string) =>
  (
    await app.owner.query(
      'SELECT action, actor_kind, actor_id, tenant_id, workspace_id, details FROM audit_records WHERE target_id = $1',
      [playerId],
    )
  ).rows;

/** The numbers of a player’s logins in the ledger and of sessions that are not revoked. */
async function traces(playerId: string) {
  const { rows } = await app.owner.query(
    `SELECT (SELECT count(*)::int FROM login_ledger WHERE player_id = $1) AS logins,
            (SELECT count(*)::int FROM login_sessions WHERE player_id = $1 AND tokens_revoked_at IS NULL) AS valid`,
    [playerId],
  );
  return rows[0];
}

describe('DELETE /api/admin/players/{playerId}', () => {
  test('clears the profile and ends its sessions in all tenants', async () => {
    const elsewhere = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const player = await arrangePlayer(app, tenant);
    const { body: other } = await logIn(player.username, elsewhere);
    const me = { bearer: player.accessToken };
    await app.http.patch('/api/player-profile/me', { displayName: 'Ada', profileVisibility: 'full' }, me);
    assert.equal((await uploadAvatar(app, player.accessToken)).status, 200);

    const deleted = await remove(player.playerId.toUpperCase());
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
    const { body: left } = await app.http.get('/api/player-profile/me', me);
    assert.deepEqual(
      [left.displayName, left.avatarUrl, left.email, left.isActive, left.profileVisibility, left.authMethods],
      [null, null, null, false, 'private', []],
    );
    assert.deepEqual(await readdir(app.avatars), []);
    assert.equal((await refresh(player.refreshToken)).status, 401);
    assert.equal((await refresh(other.refreshToken, elsewhere)).status, 401);
    assert.deepEqual(await recordsOf(player.playerId), [
      {
        action: 'player.admin_deleted',
        actor_kind: 'account',
        actor_id: admin.accountId,
        tenant_id: null,
        workspace_id: null,
        details: { removedAuthMethods: 1, receiptId: deleted.headers.get('x-deletion-receipt') },
      },
    ]);
    const again = await logIn(player.username);
    assert.deepEqual([again.status, again.body.isNewPlayer], [200, true]);
    assert.notEqual(again.body.playerId, player.playerId);
  });

  test('is idempotent, even after the player deleted the profile', async () => {
    const player = await arrangePlayer(app, tenant);
    assert.equal((await remove(player.playerId)).status, 204);
    assert.equal((await remove(player.playerId)).status, 204);
    assert.equal((await recordsOf(player.playerId)).length, 1);
    const own = await arrangePlayer(app, tenant);
    await app.http.delete('/api/player-profile/me', { bearer: own.accessToken });
    assert.equal((await remove(own.playerId)).status, 204);
    assert.deepEqual(
      (await recordsOf(own.playerId)).map(({ action }) => action),
      ['player.self_deleted'],
    );
  });

  test('returns 404 for an unknown player and for the id of a merged profile', async () => {
    for (const id of [randomUUID(), 'nonsense']) assert.equal((await remove(id)).status, 404, id);
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const merge = {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${source.username}:secret`,
    };
    const me = { bearer: target.accessToken };
    assert.equal((await app.http.post('/api/player-profile/me/merge', merge, me)).status, 200);
    assert.equal((await remove(source.playerId)).status, 404);
    assert.equal((await app.http.get('/api/player-profile/me', me)).body.isActive, true);
    assert.equal((await remove(target.playerId)).status, 204);
    assert.equal(
      (await logIn(source.username)).body.isNewPlayer,
      true,
      'the sign-in method of the merged profile is removed too',
    );
  });

  test('returns 401 or 403 to everybody except platform administrators', async () => {
    const player = await arrangePlayer(app, tenant);
    const owner = await arrangeAccount(app, tenant, 'owner');
    assert.equal((await remove(player.playerId, owner)).status, 403);
    assert.equal(
      (await remove(randomUUID(), owner)).status,
      403,
      'the error does not reveal whether the player exists',
    );
    for (const caller of [{}, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }, player.caller])
      assert.equal((await remove(player.playerId, caller)).status, 401);
    assert.equal((await refresh(player.refreshToken)).status, 200);
  });

  test('revokes the token of a concurrent login', async () => {
    const player = await arrangePlayer(app, tenant);
    const held = await holdLogins(app);
    const arriving = logIn(player.username);
    await held.arrival();
    const deleting = remove(player.playerId);
    await untilBlocked(app);
    await held.release();
    const { body } = await arriving;
    assert.equal((await deleting).status, 204);
    assert.equal(body.playerId, player.playerId);
    assert.equal((await refresh(body.refreshToken)).status, 401);
    assert.equal((await traces(player.playerId)).valid, 0);
  });

  test('leaves no valid session after concurrent logins, a merge and another deletion', async () => {
    for (let round = 0; round < 20; round++) {
      const player = await arrangePlayer(app, tenant);
      const target = await arrangePlayer(app, tenant);
      const merge = {
        sourceProfileId: player.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${player.username}:secret`,
      };
      let atDeletion = { logins: 0, valid: 0 };
      const answers = await Promise.all([
        later(async () => {
          const answer = await remove(player.playerId);
          atDeletion = await traces(player.playerId);
          return answer;
        }),
        ...[1, 2, 3, 4].map(() => later(() => logIn(player.username))),
        ...(round % 3 === 1
          ? [later(() => app.http.delete('/api/player-profile/me', { bearer: player.accessToken }))]
          : []),
        ...(round % 3 === 2
          ? [
              later(() =>
                app.http.post('/api/player-profile/me/merge', merge, { bearer: target.accessToken }),
              ),
            ]
          : []),
      ]);
      for (const { status, text } of answers) assert.ok(status < 500, text);
      const [deleted] = answers;
      assert.ok(deleted.status === 204 || (round % 3 === 2 && deleted.status === 404), deleted.text);
      assert.deepEqual(await traces(player.playerId), { logins: atDeletion.logins, valid: 0 });
      for (const answer of answers.slice(1, 5)) {
        if (answer.status !== 200 || answer.body.playerId !== player.playerId) continue;
        assert.equal((await refresh(answer.body.refreshToken)).status, 401);
      }
      const written = (await recordsOf(player.playerId)).filter(({ action }) => action.endsWith('_deleted'));
      assert.equal(written.length, deleted.status === 204 ? 1 : 0);
    }
  });
});

describe('GET /api/admin/players/{playerId}/deletion-receipt', () => {
  const receiptOf = (playerId: string, caller: Caller = admin) =>
    app.http.get(`/api/admin/players/${playerId}/deletion-receipt`, caller);

  test('returns when, by whom and how much was deleted', async () => {
    const player = await arrangePlayer(app, tenant);
    await logIn(player.username);
    assert.equal((await receiptOf(player.playerId)).status, 404);
    const deleted = await remove(player.playerId);
    const receipt = await receiptOf(player.playerId);
    assert.equal(receipt.status, 200, receipt.text);
    const { deletedAt, ...rest } = receipt.body;
    assert.deepEqual(rest, {
      receiptId: deleted.headers.get('x-deletion-receipt'),
      playerId: player.playerId,
      deletedBy: 'account',
      removedAuthMethods: 1,
      erasedSessions: 2,
      destroyedKeys: 2,
    });
    assert.ok(Date.parse(deletedAt) > 0);
    const own = await arrangePlayer(app, tenant);
    await app.http.delete('/api/player-profile/me', { bearer: own.accessToken });
    assert.equal((await receiptOf(own.playerId)).body.deletedBy, 'player');
    const { rows } = await app.owner.query(
      'SELECT last_ip_address FROM login_sessions WHERE player_id = $1',
      [player.playerId],
    );
    assert.deepEqual(
      rows.map(({ last_ip_address: address }) => address),
      [null, null],
    );
  });

  test('counts and erases the addresses of merged profiles too, and of nobody else', async () => {
    const [player, merged, other] = [
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
    ];
    await app.owner.query('UPDATE players SET is_active = false, merged_into_id = $1 WHERE id = $2', [
      player.playerId,
      merged.playerId,
    ]);
    await remove(player.playerId);
    assert.equal((await receiptOf(player.playerId)).body.erasedSessions, 2);
    const addressed = await app.owner.query(
      'SELECT player_id FROM login_sessions WHERE player_id = ANY($1) AND last_ip_address IS NOT NULL',
      [[player.playerId, merged.playerId, other.playerId]],
    );
    assert.deepEqual(addressed.rows, [{ player_id: other.playerId }]);
  });

  test('has one receipt for a player, however often and at once the deletion is sent', async () => {
    const player = await arrangePlayer(app, tenant);
    const me = { bearer: player.accessToken };
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => remove(player.playerId)),
      ...Array.from({ length: 4 }, () => app.http.delete('/api/player-profile/me', me)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 204),
    );
    const numbers = new Set(answers.map(({ headers }) => headers.get('x-deletion-receipt')));
    assert.deepEqual([...numbers], [(await receiptOf(player.playerId)).body.receiptId]);
  });

  test('returns 404 for unknown and invalid ids, and 401 and 403 to others', async () => {
    const player = await arrangePlayer(app, tenant);
    await remove(player.playerId);
    assert.equal((await receiptOf(randomUUID())).status, 404);
    assert.equal((await receiptOf('x')).status, 404);
    assert.equal((await receiptOf(player.playerId, {})).status, 401);
    assert.equal((await receiptOf(player.playerId, { bearer: player.accessToken })).status, 401);
    const owner = await arrangeAccount(app, tenant, 'owner');
    assert.equal((await receiptOf(player.playerId, owner)).status, 403);
  });
});

describe('GET /api/admin/deletion-receipts', () => {
  const list = (query = '', caller: Caller = admin) =>
    app.http.get(`/api/admin/deletion-receipts${query}`, caller);

  test('returns all receipts in pages, newest first', async () => {
    const players = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    for (const { playerId } of players) assert.equal((await remove(playerId)).status, 204);
    const all = await list('?limit=200');
    assert.equal(all.status, 200, all.text);
    const ids = all.body.items.map(({ playerId }: { playerId: string }) => playerId);
    assert.deepEqual(ids.slice(0, 2), players.map(({ playerId }) => playerId).toReversed());

    const paged: unknown[] = [];
    for (let query = '?limit=1'; query;) {
      const { body } = await list(query);
      paged.push(...body.items);
      assert.equal(body.hasMore, body.nextCursor !== undefined);
      query = body.hasMore ? `?limit=1&cursor=${body.nextCursor}` : '';
    }
    assert.deepEqual(paged, all.body.items);
  });

  test('returns 400 for a wrong limit or cursor, and 403 to other accounts', async () => {
    for (const query of ['?limit=0', '?limit=201', '?cursor=x'])
      assert.equal((await list(query)).status, 400, query);
    assert.equal((await list('', await arrangeAccount(app, tenant, 'owner'))).status, 403);
  });
});
