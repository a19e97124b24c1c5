import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant, mockClient } from '../../../../testing/arrange.ts';
import { uploadAvatar } from '../../../../testing/avatars.ts';
import { holdLogins } from '../../../../testing/hold-logins.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { later } from '../../../../testing/race.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId, autoCreate: true });
const admin = await arrangeAccount(app, tenant, 'admin');
const ME = '/api/player-profile/me';

const newName = () => randomBytes(6).toString('hex');
const tokenOf = (username: string, password = 'secret') => `mock:${username}:${password}`;
const read = async (caller: Caller) => (await app.http.get(ME, caller)).body;
const mock = mockClient(app, tenant);
const { refresh } = mock;
const login = (username: string, { at = tenant, fingerprint = '' } = {}) =>
  mock.logIn(username, at, fingerprint ? { deviceInfo: { deviceFingerprint: fingerprint } } : {});

async function newPlayer(options: Parameters<typeof login>[1] = {}) {
  const username = newName();
  const { body } = await login(username, options);
  const { playerId, accessToken, refreshToken } = body as Record<string, string>;
  return { username, playerId: playerId!, bearer: accessToken!, refreshToken: refreshToken! };
}
type Player = Awaited<ReturnType<typeof newPlayer>>;

const merge = (source: Pick<Player, 'username' | 'playerId'>, target: Caller, more: object = {}) =>
  app.http.post(
    `${ME}/merge`,
    {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: tokenOf(source.username),
      ...more,
    },
    target,
  );

const ban = (playerId: string, body: object = {}, at = tenant) =>
  app.http.post(`/api/bus_tenants/${at.tenantId}/players/${playerId}/ban`, body, admin);

describe('POST /api/player-profile/me/merge', () => {
  test('moves the sign-in methods and tenants, and closes the source', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    await login(source.username);
    await login(source.username, { at: sibling });
    const before = await read(target);
    const of = await read(source);
    const merged = await merge(source, target);
    assert.equal(merged.status, 200, merged.text);
    const { authMethods, tenantAccess, ...profile } = merged.body;
    assert.deepEqual(profile, {
      ...Object.fromEntries(Object.keys(profile).map((name) => [name, before[name]])),
      mergedProfileIds: [source.playerId],
    });
    assert.deepEqual(authMethods, [
      ...before.authMethods,
      ...of.authMethods.map((method: object) => ({ ...method, isPrimary: false })),
    ]);
    const access = Object.fromEntries(
      tenantAccess.map(({ tenantId, ...rest }: Record<string, unknown>) => [tenantId, rest]),
    );
    const here = of.tenantAccess.find(({ tenantId }: { tenantId: string }) => tenantId === tenant.tenantId);
    const there = of.tenantAccess.find(({ tenantId }: { tenantId: string }) => tenantId === sibling.tenantId);
    assert.deepEqual(access, {
      [tenant.tenantId]: {
        tenantRole: 'player',
        firstSeenAt: before.tenantAccess[0].firstSeenAt,
        lastSeenAt: here.lastSeenAt,
        loginCount: 3,
      },
      [sibling.tenantId]: {
        tenantRole: there.tenantRole,
        firstSeenAt: there.firstSeenAt,
        lastSeenAt: there.lastSeenAt,
        loginCount: 1,
      },
    });
    assert.deepEqual(await read(target), merged.body);
    assert.deepEqual((await app.http.get(`${ME}/bus_tenants`, target)).body, tenantAccess);

    const { rows } = await app.owner.query(
      `SELECT is_active, is_back_merged, merged_into_id, display_name, email, avatar_url FROM players WHERE id = $1`,
      [source.playerId],
    );
    assert.deepEqual(rows, [
      {
        is_active: false,
        is_back_merged: true,
        merged_into_id: target.playerId,
        display_name: null,
        email: null,
        avatar_url: null,
      },
    ]);
    const again = await login(source.username);
    assert.deepEqual([again.body.playerId, again.body.isNewPlayer], [target.playerId, false]);
  });

  test('keeps the first and the last visit of both profiles, and hides the player if one of them was hidden', async () => {
    const source = await newPlayer();
    const targets = [await newPlayer(), await newPlayer()];
    const path = (playerId: string) => `/api/bus_tenants/${tenant.tenantId}/players/${playerId}`;
    const { body } = await app.http.patch(path(source.playerId), { hiddenFromDiscovery: true }, admin);
    let last: Player = source;
    // The hidden profile is the source of the first merge, and the target of the second one.
    for (const other of targets) {
      const [from, into] = last === source ? [last, other] : [other, last];
      const { lastSeenAt } = (await app.http.get(path(other.playerId), admin)).body;
      assert.equal((await merge(from, into)).status, 200);
      last = into;
      const after = (await app.http.get(path(into.playerId), admin)).body;
      assert.deepEqual(
        [after.hiddenFromDiscovery, after.firstSeenAt, after.lastSeenAt],
        [true, body.firstSeenAt, lastSeenAt],
      );
    }
  });

  test('makes the tokens of the source invalid', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    const { body: elsewhere } = await login(source.username, { at: sibling });
    assert.equal((await merge(source, target)).status, 200);
    assert.equal((await refresh(source.refreshToken)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 401);
    const method = `${ME}/auth-methods/${randomUUID()}`;
    for (const caller of [source, { bearer: elsewhere.accessToken }])
      for (const answer of [
        await app.http.get(ME, caller),
        await app.http.get(`${ME}/bus_tenants`, caller),
        await app.http.get('/api/player/devices', caller),
        await app.http.patch(ME, { displayName: 'x' }, caller),
        await app.http.post(`${ME}/auth-methods`, { provider: 'Mock', token: tokenOf(newName()) }, caller),
        await app.http.delete(method, caller),
        await app.http.post(`${method}/set-primary`, undefined, caller),
        await merge(target, caller),
        await app.http.delete(ME, caller),
      ])
        assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_bearer']);
    assert.equal((await uploadAvatar(app, source.bearer)).status, 401);

    const game = { gameKey: tenant.gameKey, bearer: source.bearer };
    const event = {
      eventKey: 'step',
      playerId: source.playerId,
      idempotencyKey: newName(),
      value: 1,
      occurredAt: new Date().toISOString(),
    };
    assert.equal((await app.http.post('/api/game/player-events', { events: [event] }, game)).status, 201);
    const match = await app.http.post(
      '/api/game/matches',
      { players: [{ playerId: source.playerId }] },
      game,
    );
    assert.deepEqual([match.status, match.body.code], [404, 'player_not_found']);
    assert.equal((await refresh(target.refreshToken)).status, 200, 'the tokens of the target stay valid');
  });

  test('ends the open sessions of the source in all tenants, and writes their logouts', async () => {
    const [target, username] = [await newPlayer(), newName()];
    const logins = [];
    for (const at of [tenant, tenant, sibling]) logins.push((await login(username, { at })).body);
    const sessions: string[] = logins.map(({ sessionId }) => sessionId);
    const source = { username, playerId: logins[0].playerId as string };
    const logOut = (sessionId: string) => app.http.post('/api/player-auth/logout', { sessionId }, tenant);
    const before = await logOut(sessions[0]!);
    assert.equal((await merge(source, target)).status, 200);

    const players = `/api/bus_tenants/${tenant.tenantId}/players/${target.playerId}`;
    const { body } = await app.http.get(`${players}/sessions`, admin);
    const isActive = Object.fromEntries(
      body.items.map((session: { sessionId: string; isActive: boolean }) => [
        session.sessionId,
        session.isActive,
      ]),
    );
    assert.deepEqual([isActive[sessions[0]!], isActive[sessions[1]!]], [false, false]);
    const { counts } = (await app.http.get(players, admin)).body;
    assert.deepEqual([counts.sessions, counts.openSessions], [3, 1]);
    const { rows } = await app.owner.query(
      'SELECT tenant_id, session_id, reason FROM logout_ledger WHERE player_id = $1 ORDER BY occurred_at, reason',
      [source.playerId],
    );
    assert.deepEqual(
      rows.map((row) => [row.tenant_id, row.session_id, row.reason]).toSorted(),
      [
        [tenant.tenantId, sessions[0], 'user_logout'],
        [tenant.tenantId, sessions[1], 'kicked'],
        [sibling.tenantId, sessions[2], 'kicked'],
      ].toSorted(),
    );
    assert.deepEqual((await logOut(sessions[0]!)).body, before.body);
    assert.deepEqual(await logOut(sessions[1]!).then(({ status, body: end }) => [status, end.reason]), [
      200,
      'kicked',
    ]);
    const forced = await app.http.post(`${players}/force-logout`, undefined, admin);
    assert.deepEqual([forced.status, forced.body.endedSessions], [200, 1], 'the session of the target');
  });

  test('moves the profiles that were merged into the source before', async () => {
    const [first, second, third] = [await newPlayer(), await newPlayer(), await newPlayer()];
    await merge(first, second);
    const { body } = await merge(second, third);
    assert.deepEqual(body.mergedProfileIds, [first.playerId, second.playerId].toSorted());
    const { rows } = await app.owner.query('SELECT DISTINCT merged_into_id FROM players WHERE id = ANY($1)', [
      [first.playerId, second.playerId],
    ]);
    assert.deepEqual(rows, [{ merged_into_id: third.playerId }]);
    assert.equal((await login(first.username)).body.playerId, third.playerId);
  });

  test('keeps the uploaded avatar of the source if the target shows it', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    const { avatarUrl } = (await uploadAvatar(app, source.bearer)).body;
    assert.equal((await app.http.patch(ME, { avatarUrl }, target)).status, 200);
    const { body } = await merge(source, target);
    assert.equal(body.avatarUrl, avatarUrl);
    assert.equal((await app.http.get(new URL(avatarUrl!).pathname)).status, 200);
    assert.equal((await app.http.patch(ME, { avatarUrl: null }, target)).status, 200);
    assert.equal((await app.http.get(new URL(avatarUrl!).pathname)).status, 404, 'the target owns the image');
  });

  test('keeps the values of the target, fills in missing ones, and removes unused avatars', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    await app.http.patch(ME, { displayName: null }, target);
    await app.http.patch(ME, { displayName: 'Ada', profileVisibility: 'full' }, source);
    const { avatarUrl } = (await uploadAvatar(app, source.bearer)).body;
    await app.owner.query(`UPDATE players SET email = 'ada@example.com' WHERE id = $1`, [source.playerId]);
    const { body } = await merge(source, target);
    assert.deepEqual(
      [body.displayName, body.avatarUrl, body.email, body.profileVisibility],
      ['Ada', avatarUrl, 'ada@example.com', 'limited'],
    );
    assert.equal((await app.http.get(new URL(avatarUrl!).pathname)).status, 200);

    const another = await newPlayer();
    const { avatarUrl: dropped } = (await uploadAvatar(app, another.bearer)).body;
    const { body: kept } = await merge(another, target);
    assert.deepEqual([kept.displayName, kept.avatarUrl], ['Ada', avatarUrl]);
    assert.equal((await app.http.get(new URL(dropped!).pathname)).status, 404);
    assert.equal((await readdir(app.avatars)).length, 1);
    assert.equal((await app.http.delete(ME, target)).status, 204);
    assert.deepEqual(await readdir(app.avatars), []);
  });

  test('moves devices, and merges shared ones into one that is blocked if either was', async () => {
    const [shared, theirs, lost, stolen] = [1, 2, 3, 4].map(() => newName().repeat(2)) as [
      string,
      string,
      string,
      string,
    ];
    const [target, source] = [
      await newPlayer({ fingerprint: shared }),
      await newPlayer({ fingerprint: shared }),
    ];
    const { body: onLost } = await login(target.username, { fingerprint: lost });
    await login(target.username, { fingerprint: stolen });
    for (const fingerprint of [shared, theirs, lost, stolen]) await login(source.username, { fingerprint });
    const devices = async (caller: Caller) => (await app.http.get('/api/player/devices', caller)).body;
    const change = async (fingerprint: string, changes: object, caller: Caller) => {
      const { id } = (await devices(caller)).find(
        ({ deviceFingerprint }: { deviceFingerprint: string }) => deviceFingerprint === fingerprint,
      );
      assert.equal((await app.http.patch(`/api/player/devices/${id}`, changes, caller)).status, 200);
    };
    await change(lost, { isBlocked: true }, source);
    await change(stolen, { isBlocked: true }, target);
    await change(shared, { isTrusted: true, deviceName: 'Deck' }, source);
    assert.equal((await merge(source, target)).status, 200);

    const joined = Object.fromEntries(
      (await devices(target)).map(
        ({
          deviceFingerprint,
          playerId,
          loginCount,
          isBlocked,
          isTrusted,
          deviceName,
        }: Record<string, unknown>) => [
          deviceFingerprint,
          { playerId, loginCount, isBlocked, isTrusted, deviceName },
        ],
      ),
    );
    const { playerId } = target;
    const common = { playerId, isTrusted: false, deviceName: null };
    assert.deepEqual(joined, {
      // The target has not trusted the device.
      [shared]: { ...common, loginCount: 3, isBlocked: false, deviceName: 'Deck' },
      [theirs]: { ...common, loginCount: 1, isBlocked: false },
      [lost]: { ...common, loginCount: 2, isBlocked: true },
      [stolen]: { ...common, loginCount: 2, isBlocked: true },
    });
    assert.equal((await login(target.username, { fingerprint: lost })).status, 403);
    assert.equal((await refresh(onLost.refreshToken)).status, 401, 'a block ends the sessions of the device');
    assert.equal((await refresh(target.refreshToken)).status, 200);
  });

  test('applies the longer ban, and moves the ban history', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    await login(target.username, { at: sibling });
    await ban(target.playerId, { until: until(1), reason: 'short' });
    await ban(source.playerId, { until: until(9), reason: 'long' });
    // A token of the tenant that has not banned the player.
    const { body: elsewhere } = await login(target.username, { at: sibling });
    const merged = await merge(source, { bearer: elsewhere.accessToken });
    assert.equal(merged.status, 200, merged.text);
    for (const { username } of [target, source]) assert.equal((await login(username)).status, 403);
    const { rows } = await app.owner.query(
      'SELECT banned_until FROM tenant_access WHERE player_id = $1 AND tenant_id = $2',
      [target.playerId, tenant.tenantId],
    );
    assert.ok(rows[0].banned_until.getTime() > Date.now() + 8 * 86_400_000);
    const unbanned = await newPlayer();
    assert.equal((await merge(unbanned, { bearer: elsewhere.accessToken })).status, 200);
    for (const { username } of [target, unbanned]) assert.equal((await login(username)).status, 403);
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${target.playerId}`;
    const { body: history } = await app.http.get(`${path}/bans`, admin);
    assert.deepEqual(history.items.map(({ reason }: { reason: string }) => reason).toSorted(), [
      'long',
      'short',
    ]);
    assert.equal((await app.http.delete(`${path}/ban`, admin)).status, 204);
    assert.equal((await login(source.username)).body.playerId, target.playerId);
  });

  test('ends the sessions of the target in tenants that banned the source', async () => {
    const [target, source, formerlyBanned] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const { body: elsewhere } = await login(target.username, { at: sibling });
    await ban(source.playerId);
    await ban(formerlyBanned.playerId, {}, tenant);
    const lifted = `/api/bus_tenants/${tenant.tenantId}/players/${formerlyBanned.playerId}/ban`;
    assert.equal((await app.http.delete(lifted, admin)).status, 204);
    assert.equal((await merge(formerlyBanned, target)).status, 200);
    assert.equal((await refresh(target.refreshToken)).status, 200, 'a lifted ban ends no session');

    const again = (await login(target.username)).body;
    assert.equal((await merge(source, { bearer: again.accessToken })).status, 200);
    assert.equal((await refresh(again.refreshToken)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 200, 'no ban in this tenant');
    const { rows } = await app.owner.query(
      'SELECT DISTINCT tenant_id, reason FROM logout_ledger WHERE player_id = $1',
      [target.playerId],
    );
    assert.deepEqual(rows, [{ tenant_id: tenant.tenantId, reason: 'account_suspended' }]);
    const match = await app.http.post(
      '/api/game/matches',
      { players: [{ playerId: target.playerId }] },
      { gameKey: tenant.gameKey },
    );
    assert.equal(match.status, 410, match.text);
  });

  test('returns 400 for profiles that cannot be merged, and changes nothing', async () => {
    const [target, source, other] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const merged = await newPlayer();
    assert.equal((await merge(merged, other)).status, 200);
    const deleted = await newPlayer();
    await app.http.delete(ME, deleted);
    const before = await Promise.all([target, source, other].map(read));
    const refusals: [string, Promise<{ status: number; body: { code: string } }>][] = [
      ['itself', merge(target, target)],
      ['itself, in upper case', merge({ ...target, playerId: target.playerId.toUpperCase() }, target)],
      ['an unknown profile', merge({ ...source, playerId: randomUUID() }, target)],
      ['an identity of another player', merge({ ...source, username: other.username }, target)],
      ['an identity of the target', merge({ ...source, username: target.username }, target)],
      ['an unknown identity', merge({ ...source, username: newName() }, target)],
      ['a wrong secret', merge(source, target, { sourceAuthToken: tokenOf(source.username, 'guess') })],
      ['a merged profile', merge(merged, target)],
      ['a deleted profile', merge(deleted, target)],
    ];
    for (const [what, answer] of refusals) {
      const { status, body } = await answer;
      assert.deepEqual([status, body.code], [400, 'merge_refused'], what);
    }
    assert.equal((await merge(source, target, { sourceProvider: 'StoreA' })).body.code, 'credential_refused');
    assert.equal((await merge(source, target, { sourceAuthToken: 'x' })).body.code, 'credential_refused');
    assert.equal((await merge(source, deleted)).body.code, 'profile_deleted');
    assert.deepEqual(await Promise.all([target, source, other].map(read)), before);
  });

  test('returns 400 or 415 for a malformed request', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    for (const more of [
      { sourceProfileId: 'x' },
      { sourceProfileId: null },
      { sourceProvider: 'EvmWallet' },
      { sourceProvider: 'EmailOneTimeCode' },
      { sourceProvider: 5 },
      { sourceAuthToken: '' },
      { sourceAuthToken: 'x'.repeat(16_385) },
    ])
      assert.equal((await merge(source, target, more)).body.code, 'invalid_request', JSON.stringify(more));
    assert.equal((await app.http.raw('POST', `${ME}/merge`, '{', target)).status, 400);
    const text = { ...target, headers: { 'content-type': 'text/plain' } };
    assert.equal((await app.http.raw('POST', `${ME}/merge`, '{}', text)).status, 415);
  });

  test('returns 401 for a token of a revoked session', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    await ban(target.playerId);
    const refused = await merge(source, target);
    assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_bearer']);
  });

  test('lets one of two opposite merges win', async () => {
    for (let round = 0; round < 15; round++) {
      const [one, other] = [await newPlayer(), await newPlayer()];
      const answers = await Promise.all([later(() => merge(one, other)), later(() => merge(other, one))]);
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(
        statuses.toSorted(),
        statuses.includes(401) ? [200, 401] : [200, 400],
        statuses.join(),
      );
      const winner = answers[0].status === 200 ? other : one;
      assert.equal((await read(winner)).authMethods.length, 2);
      for (const { username } of [one, other])
        assert.equal((await login(username)).body.playerId, winner.playerId);
    }
  });

  test('lets one of several merges of the same source win', async () => {
    for (let round = 0; round < 8; round++) {
      const source = await newPlayer();
      const targets = await Promise.all([1, 2, 3, 4].map(() => newPlayer()));
      const answers = await Promise.all(targets.map((target) => later(() => merge(source, target))));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400, 400]);
      const winner = targets[answers.findIndex(({ status }) => status === 200)]!;
      assert.equal((await login(source.username)).body.playerId, winner.playerId);
      const profiles = await Promise.all(targets.map(read));
      assert.equal(profiles.flatMap(({ authMethods }) => authMethods).length, 5);
    }
  });

  test('leaves nothing of the source after concurrent sign-ins, refreshes, links, bans and a deletion', async () => {
    for (let round = 0; round < 15; round++) {
      const fingerprint = newName().repeat(2);
      const [target, source] = [await newPlayer({ fingerprint }), await newPlayer()];
      const signIns = [target, source, source].flatMap(({ username }) => [
        later(() => login(username, { fingerprint })),
        later(() => login(username, { at: sibling })),
      ]);
      const [merged, ...others] = await Promise.all([
        later(() => merge(source, target)),
        later(() => refresh(source.refreshToken)),
        later(() =>
          app.http.post(`${ME}/auth-methods`, { provider: 'Mock', token: tokenOf(newName()) }, source),
        ),
        later(() => (round % 3 === 0 ? app.http.delete(ME, source) : ban(source.playerId))),
        ...signIns,
      ]);
      for (const { status, text } of [merged, ...others]) assert.ok(status < 500, text);
      if (merged.status !== 200) {
        assert.deepEqual([round % 3, merged.status], [0, 400], 'the deletion commits first');
        continue;
      }
      for (const table of ['auth_methods', 'tenant_access', 'devices']) {
        const { rowCount } = await app.owner.query(`SELECT FROM ${table} WHERE player_id = $1`, [
          source.playerId,
        ]);
        assert.equal(rowCount, 0, table);
      }
      const { rowCount: valid } = await app.owner.query(
        'SELECT FROM login_sessions WHERE player_id = $1 AND tokens_revoked_at IS NULL',
        [source.playerId],
      );
      assert.equal(valid, 0);
      const { rows } = await app.owner.query(
        'SELECT sum(login_count)::int AS sum FROM tenant_access WHERE player_id = $1',
        [target.playerId],
      );
      const signedIn = others.slice(-signIns.length).filter(({ status }) => status === 200);
      assert.equal(rows[0].sum, 2 + signedIn.length, 'each login is counted once');
    }
  });

  test('revokes the token of a concurrent login of the source', async () => {
    const [target, source] = [await newPlayer(), await newPlayer()];
    const held = await holdLogins(app);
    const signingIn = login(source.username, { fingerprint: newName().repeat(2) });
    await held.arrival();
    const merging = merge(source, target);
    await untilBlocked(app);
    await held.release();
    const [signedIn, merged] = await Promise.all([signingIn, merging]);
    assert.deepEqual([signedIn.status, merged.status], [200, 200]);
    assert.equal(signedIn.body.playerId, source.playerId, 'the login commits first');
    assert.equal((await refresh(signedIn.body.refreshToken)).status, 401);
    assert.equal(merged.body.tenantAccess[0].loginCount, 3, 'the login is counted');
    assert.equal((await app.http.get('/api/player/devices', target)).body.length, 1, 'its device is moved');
  });

  test('merges the device of a concurrent login of the target', async () => {
    const fingerprint = newName().repeat(2);
    const [target, source] = [await newPlayer(), await newPlayer({ fingerprint, at: sibling })];
    const held = await holdLogins(app);
    const signingIn = login(target.username, { fingerprint });
    await held.arrival();
    const merging = merge(source, target);
    await untilBlocked(app);
    await held.release();
    const [signedIn, merged] = await Promise.all([signingIn, merging]);
    assert.deepEqual([signedIn.status, merged.status], [200, 200], merged.text);
    const { body: devices } = await app.http.get('/api/player/devices', target);
    assert.deepEqual(
      devices.map(({ loginCount }: { loginCount: number }) => loginCount),
      [2],
    );
    assert.equal((await refresh(signedIn.body.refreshToken)).status, 200, 'it belongs to the target');
  });
});
