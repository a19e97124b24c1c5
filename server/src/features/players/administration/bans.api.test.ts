import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant, mockClient } from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { holdLogins } from '../../../testing/hold-logins.ts';
import { untilBlocked } from '../../../testing/row-locks.ts';
import { later } from '../../../testing/race.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const { logIn, refresh } = mockClient(app, tenant);

const pathOf = (playerId: string) => `/api/bus_tenants/${tenant.tenantId}/players/${playerId}`;
const ban = (playerId: string, body: object = {}, caller: Caller = admin) =>
  app.http.post(`${pathOf(playerId)}/ban`, body, caller);
const lift = (playerId: string, caller: Caller = admin) => app.http.delete(`${pathOf(playerId)}/ban`, caller);
const bans = (playerId: string, query = '', caller: Caller = admin) =>
  app.http.get(`${pathOf(playerId)}/bans${query}`, caller);

async function emailOf(accountId: string): Promise<string> {
  const { rows } = await app.owner.query('SELECT email FROM accounts WHERE id = $1', [accountId]);
  return rows[0].email;
}

async function auditOf(playerId: string) {
  const { rows } = await app.owner.query(
    'SELECT action, details, actor_id, tenant_id FROM audit_records WHERE target_id = $1 ORDER BY occurred_at',
    [playerId],
  );
  return rows;
}

describe('POST /api/bus_tenants/{tenantId}/players/{playerId}/ban', () => {
  test('refuses logins and refreshes in this tenant only, and writes an audit record', async () => {
    const player = await arrangePlayer(app, tenant);
    const second = await arrangePlayer(app, tenant, player.username);
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const elsewhere = await arrangePlayer(app, sibling, player.username);
    const bystander = await arrangePlayer(app, tenant);

    const { status, body } = await ban(player.playerId.toUpperCase(), {
      reason: ' cheating ',
      note: 'aimbot',
    });
    assert.equal(status, 201);
    assert.deepEqual(body, {
      id: body.id,
      playerId: player.playerId,
      reason: 'cheating',
      note: 'aimbot',
      until: null,
      bannedBy: admin.accountId,
      bannedByEmail: await emailOf(admin.accountId),
      bannedAt: body.bannedAt,
      liftedBy: null,
      liftedByEmail: null,
      liftedAt: null,
    });
    const refused = await logIn(player.username);
    assert.deepEqual([refused.status, refused.body.code], [403, 'player_banned']);
    assert.deepEqual(refused.body.ban, { reason: 'cheating', until: null });
    assert.ok(!refused.text.includes('aimbot'), 'no private note');
    assert.equal((await refresh(player.refreshToken)).status, 401);
    assert.equal((await refresh(second.refreshToken)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 200);
    assert.equal((await logIn(player.username, sibling)).status, 200);
    assert.equal((await refresh(bystander.refreshToken)).status, 200);
    const [record, ...more] = await auditOf(player.playerId);
    assert.deepEqual(
      [record.action, record.actor_id, record.tenant_id, more],
      ['player.banned', admin.accountId, tenant.tenantId, []],
    );
    assert.deepEqual(record.details, { banId: body.id, reason: 'cheating', note: 'aimbot', until: null });
  });

  test('ends the open sessions with a ledger row each, so that no match accepts the player', async () => {
    const player = await arrangePlayer(app, tenant);
    const ended = await arrangePlayer(app, tenant, player.username);
    const key = { gameKey: tenant.gameKey };
    await app.http.post('/api/player-auth/logout', { sessionId: ended.sessionId }, key);
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await arrangePlayer(app, sibling, player.username);
    assert.equal((await ban(player.playerId)).status, 201);
    await ban(player.playerId);
    const { rows } = await app.owner.query(
      'SELECT tenant_id, session_id, reason FROM logout_ledger WHERE player_id = $1 ORDER BY received_at_db',
      [player.playerId],
    );
    assert.deepEqual(rows, [
      { tenant_id: tenant.tenantId, session_id: ended.sessionId, reason: 'user_logout' },
      { tenant_id: tenant.tenantId, session_id: player.sessionId, reason: 'account_suspended' },
    ]);
    const players = [{ playerId: player.playerId }];
    assert.equal((await app.http.post('/api/game/matches', { players }, key)).status, 410);
    const logout = await app.http.post('/api/player-auth/logout', { sessionId: player.sessionId }, key);
    assert.deepEqual([logout.status, logout.body.reason], [200, 'account_suspended']);
  });

  test('expires at its end, without being lifted', async () => {
    const player = await arrangePlayer(app, tenant);
    const until = new Date(Date.now() + 3_600_000);
    const offset = new Date(until.getTime() + 90 * 60_000).toISOString().replace('Z', '+01:30');
    const { status, body } = await ban(player.playerId, { until: offset });
    assert.equal(status, 201);
    assert.equal(Date.parse(body.until), until.getTime());
    assert.equal((await logIn(player.username)).status, 403);
    for (const end of ['tenant_access SET banned_until', 'player_bans SET until'])
      await app.owner.query(`UPDATE ${end} = now() - interval '1 second' WHERE player_id = $1`, [
        player.playerId,
      ]);
    const again = await logIn(player.username);
    assert.equal(again.status, 200, again.text);
    assert.equal((await refresh(again.body.refreshToken)).status, 200);
    assert.equal((await refresh(player.refreshToken)).status, 401);

    assert.equal((await lift(player.playerId)).status, 204);
    assert.equal((await bans(player.playerId)).body.items[0].liftedAt, null);
    assert.equal((await auditOf(player.playerId)).length, 1);
  });

  test('accepts any UTC offset, and truncates to microseconds', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    for (const [until, kept] of [
      ['2099-01-02T00:00:00.5+23:59', '2099-01-01T00:01:00.5Z'],
      ['2099-01-01T00:00:00-23:59', '2099-01-01T23:59:00Z'],
      ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999999Z'],
    ]) {
      const { status, body, text } = await ban(playerId, { until });
      assert.equal(status, 201, text);
      assert.equal(body.until, kept);
    }
  });

  test('replaces the active ban, and keeps both in the history', async () => {
    const player = await arrangePlayer(app, tenant);
    const { body: first } = await ban(player.playerId, { until: '9999-12-31T23:59:59.999999Z' });
    assert.equal(first.until, '9999-12-31T23:59:59.999999Z');
    const { body: second } = await ban(player.playerId, { reason: '', note: null, until: null });
    assert.deepEqual([second.reason, second.note, second.until], [null, null, null]);
    const { body } = await bans(player.playerId);
    assert.deepEqual(
      body.items.map((one: { id: string }) => one.id),
      [second.id, first.id],
    );
    assert.equal(body.items[1].liftedBy, admin.accountId);
    assert.equal(body.items[0].liftedAt, null);
    assert.equal((await auditOf(player.playerId))[1].details.replacedBanId, first.id);

    const page = await bans(player.playerId, '?limit=1&offset=1');
    assert.deepEqual([page.body.items[0].id, page.body.items.length, page.body.totalCount], [first.id, 1, 2]);
    for (const query of ['?limit=0', '?limit=201', '?offset=-1', '?limit=x'])
      assert.equal((await bans(player.playerId, query)).status, 400, query);

    await lift(player.playerId);
    assert.equal((await logIn(player.username)).status, 200, 'one lift is enough');
  });

  test('lists and counts the last 10,000 bans', async () => {
    const player = await arrangePlayer(app, tenant);
    await app.owner.query(
      `INSERT INTO player_bans (tenant_id, id, player_id, banned_by, banned_at, lifted_at)
       SELECT $1, gen_random_uuid(), $2, $3, now() - number * interval '1 hour', now() FROM generate_series(1, 10001) number`,
      [tenant.tenantId, player.playerId, admin.accountId],
    );
    const { body: newest } = await ban(player.playerId, {});
    const { body } = await bans(player.playerId, '?limit=1');
    assert.deepEqual([body.items[0].id, body.totalCount], [newest.id, 10_000]);
    assert.deepEqual((await bans(player.playerId, '?offset=9999')).body.items.length, 1);
    assert.deepEqual((await bans(player.playerId, '?offset=10000')).body.items, []);
  });

  test('needs no body for a ban without a reason and without an end', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const banned = await app.http.post(`${pathOf(playerId)}/ban`, undefined, admin);
    assert.equal(banned.status, 201, banned.text);
    assert.deepEqual([banned.body.reason, banned.body.note, banned.body.until], [null, null, null]);
  });

  test('returns 400 or 415 for an invalid ban', async () => {
    const player = await arrangePlayer(app, tenant);
    for (const body of [
      { until: new Date(Date.now() - 1000).toISOString() },
      { until: '2020-01-01T00:00:00Z' },
      { until: '2099-01-01T00:00:00' },
      { until: '2099-02-30T00:00:00Z' },
      { until: 'infinity' },
      { until: 5 },
      { reason: 'r'.repeat(257) },
      { note: 'n'.repeat(2001) },
      { reason: 5 },
      [],
    ])
      assert.equal((await ban(player.playerId, body)).status, 400, JSON.stringify(body));
    const past = await ban(player.playerId, { until: '2020-01-01T00:00:00Z' });
    assert.equal(past.body.errors[0].path, 'until');
    const path = `${pathOf(player.playerId)}/ban`;
    assert.equal((await app.http.raw('POST', path, '{', admin)).status, 400);
    const xml = { ...admin, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('POST', path, '<a/>', xml)).status, 415);
    assert.equal((await refresh(player.refreshToken)).status, 200);
    const longest = { reason: '🎯'.repeat(256), note: '🎯'.repeat(2000) };
    assert.equal((await ban(player.playerId, longest)).status, 201);
  });

  test('leaves no valid refresh token after concurrent logins and refreshes', async () => {
    for (let round = 0; round < 20; round++) {
      const first = await arrangePlayer(app, tenant);
      const second = await arrangePlayer(app, tenant, first.username);
      const [banned, ...others] = await Promise.all([
        later(() => ban(first.playerId)),
        ...[1, 2, 3, 4].map(() => later(() => logIn(first.username))),
        later(() => refresh(first.refreshToken)),
        later(() => refresh(second.refreshToken)),
      ]);
      assert.equal(banned.status, 201, banned.text);
      for (const { status, text } of others) assert.ok([200, 401, 403].includes(status), text);
      const tokens = [first.refreshToken, second.refreshToken].concat(
        others.flatMap(({ body }) => body.refreshToken ?? []),
      );
      const answers = await Promise.all(tokens.map((token) => refresh(token)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        tokens.map(() => 401),
      );
      assert.equal((await logIn(first.username)).status, 403);
    }
  });

  test('names reason and end of the active ban to a player with the correct credential only', async () => {
    const player = await arrangePlayer(app, tenant);
    const until = '2036-12-24T00:00:00.000Z';
    await ban(player.playerId, { reason: 'Spam' });
    await ban(player.playerId, { reason: 'Cheating', until });
    const refused = await logIn(player.username);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.ban.reason, 'Cheating');
    assert.equal(Date.parse(refused.body.ban.until), Date.parse(until));
    const guessed = await app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:${player.username}:guess` },
      { gameKey: tenant.gameKey },
    );
    assert.equal(guessed.status, 401);
    assert.ok(!guessed.text.includes('Cheating'));
    await ban(player.playerId);
    assert.deepEqual((await logIn(player.username)).body.ban, { reason: null, until: null });
  });

  test('names the ban to a login that read the player before it', async () => {
    const player = await arrangePlayer(app, tenant);
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [player.playerId])),
      async (waiting, release) => {
        const banning = ban(player.playerId, { reason: 'Cheating' });
        await waiting(1);
        const signingIn = logIn(player.username);
        await waiting(2);
        await release();
        assert.equal((await banning).status, 201);
        const { status, body } = await signingIn;
        assert.deepEqual([status, body.code], [403, 'player_banned']);
        assert.deepEqual(body.ban, { reason: 'Cheating', until: null });
      },
    );
  });

  test('revokes the token of a concurrent login', async () => {
    const player = await arrangePlayer(app, tenant);
    const held = await holdLogins(app);
    const signingIn = logIn(player.username);
    await held.arrival();
    const banning = ban(player.playerId);
    await untilBlocked(app);
    await held.release();
    const [signedIn, banned] = await Promise.all([signingIn, banning]);
    assert.equal(signedIn.status, 200, 'the login commits first');
    assert.equal(banned.status, 201);
    assert.equal((await refresh(signedIn.body.refreshToken)).status, 401);
  });

  test('causes no deadlock with concurrent bans, device blocks and logins', async () => {
    const username = randomUUID();
    const deviceInfo = { deviceFingerprint: randomUUID() };
    const onDevice = () => logIn(username, tenant, { deviceInfo });
    const { body } = await onDevice();
    const caller = { bearer: body.accessToken };
    const { body: devices } = await app.http.get('/api/player/devices', caller);
    const block = (isBlocked: boolean) =>
      app.http.patch(`/api/player/devices/${devices[0].id}`, { isBlocked }, caller);
    for (let round = 0; round < 5; round++) {
      await block(false);
      await lift(body.playerId);
      await app.owner.query(
        `INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform, device_id)
       SELECT $1, gen_random_uuid(), $2, now(), now(), 'mock', 'Unknown', $3 FROM generate_series(1, 300)`,
        [tenant.tenantId, body.playerId, devices[0].id],
      );
      const answers = await Promise.all([
        ban(body.playerId),
        block(true),
        onDevice(),
        ban(body.playerId),
        block(true),
        lift(body.playerId),
      ]);
      for (const { status, text } of answers) assert.ok(status < 500, text);
    }
  });
});

describe('DELETE /api/bus_tenants/{tenantId}/players/{playerId}/ban', () => {
  test('allows logins again, restores no refresh token, and is idempotent', async () => {
    const player = await arrangePlayer(app, tenant);
    assert.equal((await lift(player.playerId)).status, 204, 'a player who is not banned');
    const { body: made } = await ban(player.playerId);
    const lifted = await lift(player.playerId);
    assert.deepEqual([lifted.status, lifted.text], [204, '']);
    assert.equal((await lift(player.playerId)).status, 204);

    assert.equal((await refresh(player.refreshToken)).status, 401);
    const again = await logIn(player.username);
    assert.equal(again.status, 200);
    assert.equal((await refresh(again.body.refreshToken)).status, 200);

    const { body: history } = await bans(player.playerId);
    const [only] = history.items;
    assert.deepEqual({ ...history, items: [] }, { items: [], limit: 50, offset: 0, totalCount: 1 });
    assert.deepEqual(only, {
      ...made,
      liftedBy: admin.accountId,
      liftedByEmail: made.bannedByEmail,
      liftedAt: only.liftedAt,
    });
    assert.ok(Date.parse(only.liftedAt) >= Date.parse(made.bannedAt));
    assert.deepEqual(
      (await auditOf(player.playerId)).map((record) => record.action),
      ['player.banned', 'player.ban_lifted'],
    );
  });
});

describe('bans of a player', () => {
  test('return 404 for a player who has never been in the tenant', async () => {
    const foreign = await arrangePlayer(app, await arrangeTenant(app));
    for (const id of [foreign.playerId, randomUUID(), 'nonsense']) {
      assert.equal((await ban(id)).status, 404, id);
      assert.equal((await lift(id)).status, 404, id);
      assert.equal((await bans(id)).status, 404, id);
    }
  });

  test('and notes return 404 without waiting for the lock of a player of another tenant', async () => {
    const { playerId } = await arrangePlayer(app, await arrangeTenant(app));
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [playerId]),
      async () => {
        const noted = await app.http.post(`${pathOf(playerId)}/notes`, { text: 'x' }, admin);
        assert.deepEqual([(await ban(playerId)).status, noted.status], [404, 404]);
      },
    );
  });

  test('can be changed by admins and read by viewers only', async () => {
    const player = await arrangePlayer(app, tenant);
    const callers = [
      [await arrangeAccount(app, tenant, 'viewer'), 403, 200],
      [await arrangeAccount(app, tenant), 404, 404],
      [await arrangeAccount(app, await arrangeTenant(app), 'owner'), 404, 404],
      [{}, 401, 401],
      [{ gameKey: tenant.gameKey }, 401, 401],
      [{ apiKey: tenant.apiKey }, 401, 401],
      [player.caller, 401, 401],
    ] as const;
    for (const [caller, writing, reading] of callers) {
      assert.equal((await ban(player.playerId, {}, caller)).status, writing);
      assert.equal((await lift(player.playerId, caller)).status, writing);
      assert.equal((await bans(player.playerId, '', caller)).status, reading);
    }
    assert.equal((await refresh(player.refreshToken)).status, 200);
    const owner = await arrangeAccount(app, tenant, 'owner');
    assert.equal((await ban(player.playerId, { note: 'Report 1042' }, owner)).status, 201);
    const [shown] = (await bans(player.playerId, '', callers[0][0])).body.items;
    assert.equal(shown.note, 'Report 1042', 'a note is for all members of the workspace');
    assert.equal((await lift(player.playerId, owner)).status, 204);
  });

  test('name who banned and who lifted, as long as they are members of the workspace', async () => {
    const leaver = await arrangeAccount(app, tenant, 'admin');
    const { playerId } = await arrangePlayer(app, tenant);
    await ban(playerId, {}, leaver);
    await lift(playerId);
    await ban(playerId);
    await lift(playerId, leaver);
    const names = async () =>
      (await bans(playerId)).body.items.map((item: Record<string, unknown>) => [
        item.bannedByEmail,
        item.liftedByEmail,
      ]);
    const [adminEmail, leaverEmail] = [await emailOf(admin.accountId), await emailOf(leaver.accountId)];
    assert.deepEqual(await names(), [
      [adminEmail, leaverEmail],
      [leaverEmail, adminEmail],
    ]);
    await app.owner.query('DELETE FROM memberships WHERE account_id = $1', [leaver.accountId]);
    assert.deepEqual(await names(), [
      [adminEmail, null],
      [null, adminEmail],
    ]);
  });
});
