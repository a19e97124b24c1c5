import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlayer,
  arrangeTenant,
  mockClient,
  type TestTenant,
} from '../../../../testing/arrange.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { later } from '../../../../testing/race.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const ME = '/api/player-profile/me';
const METHODS = `${ME}/auth-methods`;

const newName = () => randomBytes(6).toString('hex');
const tokenOf = (username: string, password = 'secret') => `mock:${username}:${password}`;
const link = (username: string, caller: Caller, more: object = {}) =>
  app.http.post(METHODS, { provider: 'Mock', token: tokenOf(username), ...more }, caller);
const unlink = (id: string, caller: Caller) => app.http.delete(`${METHODS}/${id}`, caller);
const setPrimary = (id: string, caller: Caller) =>
  app.http.post(`${METHODS}/${id}/set-primary`, undefined, caller);
const { logIn, refresh } = mockClient(app, tenant);
const methodsOf = async (caller: Caller) => (await app.http.get(ME, caller)).body.authMethods;

async function newPlayer(at: TestTenant = tenant) {
  const { playerId, username, accessToken, refreshToken, sessionId } = await arrangePlayer(app, at);
  return { playerId, username, bearer: accessToken, refreshToken, sessionId };
}

/** Every player with sign-in methods has exactly one primary method. */
async function checkPrimaries() {
  const { rows } = await app.owner.query(
    `SELECT player_id FROM auth_methods GROUP BY player_id HAVING count(*) FILTER (WHERE is_primary) <> 1`,
  );
  assert.deepEqual(rows, []);
}

describe('POST /api/player-profile/me/auth-methods', () => {
  test('links an identity that then signs in to the same player', async () => {
    const player = await newPlayer();
    const username = newName();
    const linked = await link(username, player);
    assert.equal(linked.status, 201, linked.text);
    const { id, linkedAt, ...rest } = linked.body;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(linkedAt, /Z$/);
    assert.deepEqual(rest, {
      authProvider: 'Mock',
      providerUserId: username,
      email: null,
      username,
      displayName: username,
      avatarUrl: null,
      isPrimary: false,
      lastUsedAt: null,
    });
    const signedIn = await logIn(username);
    assert.deepEqual([signedIn.body.playerId, signedIn.body.isNewPlayer], [player.playerId, false]);
    const methods = await methodsOf(player);
    assert.deepEqual(
      methods.map((method: typeof rest) => [method.username, method.isPrimary]),
      [
        [player.username, true],
        [username, false],
      ],
    );
  });

  test('returns the same method when it is linked again, and makes it primary on request', async () => {
    const player = await newPlayer();
    const username = newName();
    const first = await link(username, player);
    const again = await link(username, player);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const primary = await link(username, player, { setAsPrimary: true });
    assert.deepEqual([primary.status, primary.body], [201, { ...first.body, isPrimary: true }]);
    const another = await link(newName(), player, { setAsPrimary: true });
    assert.equal(another.body.isPrimary, true);
    assert.equal((await methodsOf(player)).length, 3);
    await checkPrimaries();
  });

  test('returns 400 for an identity of another profile and for a wrong secret', async () => {
    const [player, other] = [await newPlayer(), await newPlayer()];
    const taken = await link(other.username, player);
    assert.deepEqual([taken.status, taken.body.code], [400, 'auth_method_taken']);
    for (const owner of [player, other]) {
      const guessed = await link(owner.username, player, { token: tokenOf(owner.username, 'guess') });
      assert.deepEqual([guessed.status, guessed.body.code], [400, 'credential_refused']);
    }
    assert.equal((await logIn(other.username)).body.playerId, other.playerId);
    assert.equal((await methodsOf(player)).length, 1);
  });

  test('returns 400 for a provider that the tenant of the token does not have', async () => {
    const player = await newPlayer();
    for (const provider of ['StoreA', 'StoreB', 'WalletJwt']) {
      const refused = await link('x', player, { provider });
      assert.deepEqual([refused.status, refused.body.code], [400, 'credential_refused'], provider);
    }
    const elsewhere = await arrangeTenant(app);
    const stranger = await newPlayer(elsewhere);
    const namesake = await link(player.username, stranger);
    assert.equal(namesake.status, 201, 'Mock usernames are unique per workspace');
    await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [elsewhere.tenantId]);
    assert.equal((await link(newName(), stranger)).body.code, 'credential_refused', 'the tenant is disabled');
  });

  test('returns 400 or 415 for a malformed request', async () => {
    const player = await newPlayer();
    for (const body of [
      {},
      { provider: 'Mock' },
      { provider: 'Mock', token: '' },
      { provider: 'Mock', token: 5 },
      { provider: 'Mock', token: 'x'.repeat(8193) },
      { provider: 'Mock', token: 'nonsense' },
      { provider: 'mock', token: 'mock:a:b' },
      { provider: 'EmailPassword', token: 'mock:a:b' },
      { provider: 'Mock', token: 'mock:a:b', setAsPrimary: 'yes' },
      { provider: 'Mock', token: 'mock:a:\0' },
      [],
    ])
      assert.equal((await app.http.post(METHODS, body, player)).status, 400, JSON.stringify(body));
    assert.equal((await app.http.raw('POST', METHODS, '{', player)).status, 400);
    const text = { ...player, headers: { 'content-type': 'text/plain' } };
    assert.equal((await app.http.raw('POST', METHODS, '{}', text)).status, 415);
    assert.equal((await methodsOf(player)).length, 1);
  });

  test('lets one profile win when several link the same identity concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const username = newName();
      const players = await Promise.all(Array.from({ length: 6 }, () => newPlayer()));
      const [signedIn, ...answers] = await Promise.all([
        later(() => logIn(username)),
        ...players.map((player) => later(() => link(username, player))),
      ]);
      assert.equal(signedIn.status, 200, signedIn.text);
      const winners = players.filter((_, index) => answers[index]!.status === 201);
      for (const { status, body } of answers)
        if (status !== 201) assert.deepEqual([status, body.code], [400, 'auth_method_taken']);
      assert.equal(winners.length, signedIn.body.isNewPlayer ? 0 : 1);
      const { playerId } = (await logIn(username)).body;
      assert.equal(playerId, winners[0]?.playerId ?? signedIn.body.playerId);
    }
  });
});

describe('POST /api/player-profile/me/auth-methods/{authMethodId}/set-primary', () => {
  test('moves the primary mark and returns the method', async () => {
    const player = await newPlayer();
    const { body: second } = await link(newName(), player);
    for (let time = 0; time < 2; time++) {
      const answer = await setPrimary(second.id.toUpperCase(), player);
      assert.deepEqual([answer.status, answer.body], [200, { ...second, isPrimary: true }]);
    }
    assert.deepEqual(
      (await methodsOf(player)).map(({ id, isPrimary }: typeof second) => [id === second.id, isPrimary]),
      [
        [true, true],
        [false, false],
      ],
    );
  });

  test('leaves exactly one primary method after concurrent changes', async () => {
    for (let round = 0; round < 10; round++) {
      const player = await newPlayer();
      const others = await Promise.all([1, 2, 3].map(() => link(newName(), player)));
      const ids = others.map(({ body }) => body.id as string);
      const answers = await Promise.all([
        ...ids.map((id) => later(() => setPrimary(id, player))),
        later(() => unlink(ids[0]!, player)),
        later(() => link(newName(), player, { setAsPrimary: true })),
        later(() => logIn(others[1]!.body.username)),
      ]);
      for (const { status, text } of answers) assert.ok([200, 201, 204, 400].includes(status), text);
    }
    await checkPrimaries();
  });
});

describe('DELETE /api/player-profile/me/auth-methods/{authMethodId}', () => {
  test('removes an identity, which then signs in to a new player', async () => {
    const player = await newPlayer();
    const { body: second } = await link(newName(), player);
    const removed = await unlink(second.id, player);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    assert.equal((await methodsOf(player)).length, 1);
    const again = await logIn(second.username);
    assert.equal(again.body.isNewPlayer, true);
    assert.notEqual(again.body.playerId, player.playerId);
  });

  test('ends the sessions that the method opened, in all tenants, and revokes their tokens', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const owner = await newPlayer();
    const { body: stolen } = await link(newName(), owner);
    const thief = (await logIn(stolen.username)).body;
    const elsewhere = (await logIn(stolen.username, sibling)).body;
    const loggedOut = (await logIn(stolen.username)).body;
    await app.http.post('/api/player-auth/logout', { sessionId: loggedOut.sessionId }, tenant);
    const second = (await logIn(owner.username)).body;

    assert.equal((await unlink(stolen.id, owner)).status, 204);
    assert.equal((await refresh(thief.refreshToken)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 401);
    for (const { accessToken: bearer } of [thief, elsewhere, loggedOut])
      assert.equal((await link(newName(), { bearer })).status, 401, 'a thief cannot link a method to stay');
    const { rows } = await app.owner.query(
      'SELECT session_id AS id, reason FROM logout_ledger WHERE player_id = $1 ORDER BY received_at_db LIMIT 9',
      [owner.playerId],
    );
    assert.deepEqual(
      new Map(rows.map(({ id, reason }) => [id, reason])),
      new Map([
        [loggedOut.sessionId, 'user_logout'],
        [thief.sessionId, 'kicked'],
        [elsewhere.sessionId, 'kicked'],
      ]),
    );
    assert.equal((await refresh(owner.refreshToken)).status, 200, 'sessions of other methods stay');
    assert.equal((await refresh(second.refreshToken)).status, 200);
  });

  test('also ends the caller’s session if the method opened it, but its access token can still undo the change', async () => {
    const player = await newPlayer();
    const [first] = await methodsOf(player);
    assert.equal((await link(newName(), player)).status, 201);
    assert.equal((await unlink(first.id, player)).status, 204);
    assert.equal((await refresh(player.refreshToken)).status, 401);
    assert.equal((await link(player.username, player)).status, 201);
  });

  test('leaves no open session of the method after concurrent sign-ins', async () => {
    for (let round = 0; round < 10; round++) {
      const player = await newPlayer();
      const { body: second } = await link(newName(), player);
      await logIn(second.username);
      const answers = await Promise.all([
        later(() => unlink(second.id, player)),
        later(() => logIn(second.username)),
        later(() => logIn(second.username)),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [204, 200, 200],
      );
      for (const { body } of answers.slice(1))
        if (body.playerId === player.playerId)
          assert.equal((await refresh(body.refreshToken)).status, 401, 'the session outlives its method');
    }
  });

  test('makes the last used method primary, and returns 400 for the last method', async () => {
    const player = await newPlayer();
    const [first] = await methodsOf(player);
    const { body: unused } = await link(newName(), player);
    const { body: used } = await link(newName(), player);
    await logIn(used.username);
    assert.equal((await unlink(first.id, player)).status, 204);
    assert.deepEqual(
      (await methodsOf(player)).map(({ id, isPrimary }: typeof used) => [id, isPrimary]),
      [
        [used.id, true],
        [unused.id, false],
      ],
    );
    assert.equal((await unlink(unused.id, player)).status, 204, 'the primary method does not change');
    const last = await unlink(used.id, player);
    assert.deepEqual([last.status, last.body.code], [400, 'last_auth_method']);
    assert.equal((await logIn(used.username)).body.playerId, player.playerId);
  });

  test('returns the same 400 for methods of others, unknown ids and malformed ids', async () => {
    const [player, other] = [await newPlayer(), await newPlayer()];
    await link(newName(), player);
    const [theirs] = await methodsOf(other);
    for (const id of [theirs.id, randomUUID(), 'nonsense', '%00', `${theirs.id}x`])
      for (const answer of [await unlink(id, player), await setPrimary(id, player)]) {
        assert.equal(answer.status, 400, id);
        if (id !== '%00') assert.equal(answer.body.code, 'auth_method_not_found', id);
      }
    assert.deepEqual(await methodsOf(other), [theirs]);
  });

  test('refuses one of several concurrent removals, and keeps its method as primary', async () => {
    for (let round = 0; round < 15; round++) {
      const player = await newPlayer();
      for (let count = 0; count < 3; count++) await link(newName(), player);
      const methods = await methodsOf(player);
      const answers = await Promise.all(
        methods.map(({ id }: { id: string }) => later(() => unlink(id, player))),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 204, 204, 400]);
      const left = await methodsOf(player);
      assert.deepEqual([left.length, left[0].isPrimary], [1, true]);
    }
  });
});

describe('a token of a revoked session', () => {
  const ban = async (playerId: string, admin: Caller) => {
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
    assert.equal((await app.http.post(path, {}, admin)).status, 201);
  };

  test('returns 401 for changes of sign-in methods after a ban, unlike a token of a logged-out session', async () => {
    const player = await newPlayer();
    const { body: second } = await link(newName(), player);
    const out = await app.http.post('/api/player-auth/logout', { sessionId: player.sessionId }, tenant);
    assert.equal(out.status, 200);
    assert.equal((await link(newName(), player)).status, 201, 'a token stays valid after a plain logout');

    const admin = await arrangeAccount(app, tenant, 'admin');
    const { body: again } = await logIn(player.username);
    const stolen = { bearer: again.accessToken };
    await ban(player.playerId, admin);
    const before = await methodsOf(stolen);
    for (const answer of [
      await link(newName(), stolen),
      await unlink(second.id, stolen),
      await setPrimary(second.id, stolen),
    ])
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_bearer']);
    assert.deepEqual(await methodsOf(stolen), before, 'the token can still read');
    assert.equal(
      (await link(newName(), player)).status,
      401,
      'a session that logged out before is revoked too',
    );

    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const { body: elsewhere } = await logIn(player.username, sibling);
    const own = { bearer: elsewhere.accessToken };
    assert.equal((await app.http.get(`${ME}/export`, own)).status, 200, 'a banned player can export');
    assert.equal((await app.http.delete(ME, own)).status, 204, 'a banned player can delete the profile');
    assert.equal((await app.http.delete(ME, stolen)).status, 204, 'a second deletion is idempotent');
  });

  test('exports, deletes and reads the history and devices after a ban', async () => {
    const player = await newPlayer();
    const admin = await arrangeAccount(app, tenant, 'admin');
    await ban(player.playerId, admin);
    for (const path of [
      `${ME}/export`,
      '/api/player/sessions/history',
      '/api/player/sessions/summary',
      '/api/player/devices',
    ])
      assert.equal((await app.http.get(path, player)).status, 200, path);
    assert.equal((await app.http.delete(ME, player)).status, 204);
  });

  for (const order of ['before', 'after'])
    test(`returns 401 for all of this if it leaked ${order} a ban`, async () => {
      const player = await newPlayer();
      const admin = await arrangeAccount(app, tenant, 'admin');
      const path = `/api/bus_tenants/${tenant.tenantId}/players/${player.playerId}/force-logout`;
      const forceLogout = () => app.http.post(path, {}, admin);
      if (order === 'before') assert.equal((await forceLogout()).status, 200);
      await ban(player.playerId, admin);
      if (order === 'after') assert.equal((await forceLogout()).status, 200);
      for (const answer of [
        await app.http.get(ME, player),
        await app.http.get(METHODS, player),
        await app.http.get(`${ME}/bus_tenants`, player),
        await app.http.get(`${ME}/export`, player),
        await app.http.get('/api/player/sessions/history', player),
        await app.http.get('/api/player/sessions/summary', player),
        await app.http.get('/api/player/devices', player),
        await app.http.patch(ME, { displayName: 'Mallory' }, player),
        await app.http.delete(ME, player),
      ])
        assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_bearer']);
    });
});
