import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
  mockClient,
} from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { untilBlocked } from '../../../testing/row-locks.ts';
import { later } from '../../../testing/race.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const { refresh } = mockClient(app, tenant);

const pathOf = (playerId: string) => `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/force-logout`;
const forceLogout = (playerId: string, body?: unknown, caller: Caller = admin) =>
  app.http.post(pathOf(playerId), body, caller);
const logOut = (sessionId: string) =>
  app.http.post('/api/player-auth/logout', { sessionId }, { gameKey: tenant.gameKey });
const logoutRows = async (playerId: string) =>
  (
    await app.owner.query('SELECT * FROM logout_ledger WHERE player_id = $1 ORDER BY received_at_db', [
      playerId,
    ])
  ).rows;
const auditOf = async (playerId: string) =>
  (await app.owner.query('SELECT * FROM audit_records WHERE target_id = $1', [playerId])).rows;

/** A player with this many open sessions more. */
async function arrangeSessions(count: number) {
  const player = await arrangePlayer(app, tenant);
  await app.owner.query(
    `INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform, last_ip_address, key_salt)
     SELECT $1, gen_random_uuid(), $2, now(), now(), 'mock', 'Unknown', '192.0.2.1', '\\x00' FROM generate_series(1, $3)`,
    [tenant.tenantId, player.playerId, count],
  );
  return player;
}

describe('POST /api/bus_tenants/{tenantId}/players/{playerId}/force-logout', () => {
  test('ends all open sessions in the tenant with a ledger row each, and no others', async () => {
    const player = await arrangePlayer(app, tenant);
    const second = await arrangePlayer(app, tenant, player.username);
    const ended = await arrangePlayer(app, tenant, player.username);
    await logOut(ended.sessionId);
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const elsewhere = await arrangePlayer(app, sibling, player.username);
    const bystander = await arrangePlayer(app, tenant);
    const before = await app.owner.query('SELECT last_seen_at FROM login_sessions WHERE session_id = $1', [
      player.sessionId,
    ]);

    const { status, body } = await forceLogout(player.playerId.toUpperCase(), { message: ' maintenance ' });
    assert.deepEqual([status, body], [200, { endedSessions: 2 }]);

    const kicked = (await logoutRows(player.playerId)).filter(({ reason }) => reason === 'kicked');
    assert.deepEqual(
      new Set(kicked.map(({ session_id }) => session_id)),
      new Set([player.sessionId, second.sessionId]),
    );
    for (const row of kicked)
      assert.deepEqual(
        [row.tenant_id, row.message, row.personal_data],
        [tenant.tenantId, 'maintenance', null],
      );
    const ids = kicked.map(({ id }) => id as string);
    assert.notEqual(ids[0], ids[1]);
    for (const id of ids) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'a UUIDv7');
      const milliseconds = parseInt(id.replace('-', '').slice(0, 12), 16);
      assert.ok(Math.abs(milliseconds - kicked[0].occurred_at.getTime()) < 60_000, 'the time of the row');
    }
    const { rows } = await app.owner.query(
      'SELECT ended_at, last_seen_at FROM login_sessions WHERE session_id = $1',
      [player.sessionId],
    );
    assert.deepEqual(rows[0].ended_at, kicked[0].occurred_at);
    assert.deepEqual(rows[0].last_seen_at, before.rows[0].last_seen_at, 'last_seen_at does not change');

    for (const token of [player.refreshToken, second.refreshToken])
      assert.equal((await refresh(token)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 200);
    assert.equal((await refresh(bystander.refreshToken)).status, 200);
    const again = await logOut(player.sessionId);
    assert.deepEqual([again.status, again.body.reason], [200, 'kicked']);
    const match = { players: [{ playerId: player.playerId, loginSessionId: player.sessionId }] };
    assert.equal((await app.http.post('/api/game/matches', match, { gameKey: tenant.gameKey })).status, 410);
    const login = await arrangePlayer(app, tenant, player.username);
    assert.equal((await refresh(login.refreshToken)).status, 200, 'the player can log in again');

    const [record, ...more] = await auditOf(player.playerId);
    assert.deepEqual(
      [record.action, record.actor_id, record.tenant_id, record.details, more],
      [
        'player.force_logged_out',
        admin.accountId,
        tenant.tenantId,
        { endedSessions: 2, message: 'maintenance' },
        [],
      ],
    );
  });

  test('ends more sessions than one statement changes, and a deletion erases them', async () => {
    const player = await arrangeSessions(25_000);
    const { body } = await forceLogout(player.playerId);
    assert.deepEqual(body, { endedSessions: 25_001 });
    assert.equal((await refresh(player.refreshToken)).status, 401);
    const { rows } = await app.owner.query(
      'SELECT count(*)::int AS rows, count(DISTINCT session_id)::int AS sessions FROM logout_ledger WHERE player_id = $1',
      [player.playerId],
    );
    assert.deepEqual(rows, [{ rows: 25_001, sessions: 25_001 }]);

    const platformAdmin = await arrangePlatformAdmin(app);
    const deletion = await app.http.delete(`/api/admin/players/${player.playerId}`, platformAdmin);
    assert.equal(deletion.status, 204, deletion.text);
    const left = await app.owner.query(
      'SELECT FROM login_sessions WHERE player_id = $1 AND (key_salt IS NOT NULL OR last_ip_address IS NOT NULL)',
      [player.playerId],
    );
    assert.equal(left.rowCount, 0);
  });

  test('returns 503 while many sessions of another player are ended, and 200 afterwards', async () => {
    const [player, other] = [await arrangeSessions(5_000), await arrangeSessions(5_000)];
    const blocker = await app.owner.connect();
    await blocker.query('BEGIN');
    // The first statement changes the others.
    await blocker.query(
      'SELECT FROM login_sessions WHERE player_id = $1 ORDER BY session_id DESC LIMIT 1 FOR UPDATE',
      [player.playerId],
    );
    const first = forceLogout(player.playerId);
    await untilBlocked(app);
    const refused = await forceLogout(other.playerId);
    assert.deepEqual([refused.status, refused.body.code], [503, 'busy']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    const few = await arrangePlayer(app, tenant);
    assert.equal((await forceLogout(few.playerId)).status, 200);
    await blocker.query('ROLLBACK');
    blocker.release();
    assert.deepEqual((await first).body, { endedSessions: 5_001 });
    assert.deepEqual((await forceLogout(other.playerId)).body, { endedSessions: 5_001 });
  });

  test('is idempotent, and accepts an empty body', async () => {
    const player = await arrangePlayer(app, tenant);
    assert.deepEqual((await forceLogout(player.playerId)).body, { endedSessions: 1 });
    for (const body of [undefined, {}, { message: null }, { message: '' }, { nonsense: 1 }]) {
      const { status, body: answer } = await forceLogout(player.playerId, body);
      assert.deepEqual([status, answer], [200, { endedSessions: 0 }]);
    }
    const [row, ...more] = await logoutRows(player.playerId);
    assert.deepEqual([row.message, more], [null, []]);
    assert.equal((await auditOf(player.playerId)).length, 1);
  });

  test('accepts a message of up to 256 characters', async () => {
    const player = await arrangePlayer(app, tenant);
    for (const body of [{ message: '🎯'.repeat(257) }, { message: 5 }, { message: 'a\0' }, [], 5, 'x'])
      assert.equal((await forceLogout(player.playerId, body)).status, 400, JSON.stringify(body));
    const path = pathOf(player.playerId);
    assert.equal((await app.http.raw('POST', path, '{', admin)).status, 400);
    const xml = { ...admin, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('POST', path, '<a/>', xml)).status, 415);
    assert.equal((await refresh(player.refreshToken)).status, 200);
    assert.equal((await forceLogout(player.playerId, { message: '🎯'.repeat(256) })).status, 200);
  });

  test('returns 401, 403 or 404 to other callers and for players of other tenants', async () => {
    const player = await arrangePlayer(app, tenant);
    const stranger = await arrangeTenant(app);
    const foreign = await arrangePlayer(app, stranger);
    for (const [caller, status] of [
      [await arrangeAccount(app, tenant, 'viewer'), 403],
      [await arrangeAccount(app, tenant), 404],
      [await arrangeAccount(app, stranger, 'owner'), 404],
      [{}, 401],
      [{ gameKey: tenant.gameKey }, 401],
      [{ apiKey: tenant.apiKey }, 401],
      [player.caller, 401],
    ] as const)
      assert.equal((await forceLogout(player.playerId, {}, caller)).status, status);
    assert.equal((await forceLogout('nonsense')).status, 404);
    for (const id of [foreign.playerId, randomUUID()]) {
      const { status, body } = await forceLogout(id);
      assert.deepEqual([status, body.code], [404, 'player_not_found']);
    }
    assert.equal((await refresh(player.refreshToken)).status, 200);
    assert.equal((await refresh(foreign.refreshToken, stranger)).status, 200);
  });

  test('ends each session once, despite concurrent logins, refreshes and logouts', async () => {
    for (let round = 0; round < 20; round++) {
      const first = await arrangePlayer(app, tenant);
      const second = await arrangePlayer(app, tenant, first.username);
      const login = () => arrangePlayer(app, tenant, first.username);
      const [kicks, logins, refreshes] = await Promise.all([
        Promise.all([later(() => forceLogout(first.playerId)), later(() => forceLogout(first.playerId))]),
        Promise.all([later(login), later(login), later(login)]),
        Promise.all([later(() => refresh(first.refreshToken)), later(() => refresh(second.refreshToken))]),
        later(() => logOut(first.sessionId)),
        later(() => logOut(second.sessionId)),
      ]);
      for (const { status, text } of kicks) assert.equal(status, 200, text);
      const rows = await logoutRows(first.playerId);
      const ended = rows.map(({ session_id }) => session_id as string);
      assert.equal(new Set(ended).size, ended.length, 'one row per session');
      assert.equal(
        kicks[0].body.endedSessions + kicks[1].body.endedSessions,
        rows.filter(({ reason }) => reason === 'kicked').length,
      );
      for (const token of [first, second, ...refreshes.map(({ body }) => body)].flatMap(
        (body) => body.refreshToken ?? [],
      ))
        assert.equal((await refresh(token)).status, 401);
      for (const { sessionId, refreshToken } of logins)
        assert.equal((await refresh(refreshToken)).status, ended.includes(sessionId) ? 401 : 200);
    }
  });

  test('ends the session of a concurrent login', async () => {
    const player = await arrangePlayer(app, tenant);
    // The login locks the access record, then waits for the row of the sign-in method.
    const holder = await app.owner.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM auth_methods WHERE player_id = $1 FOR UPDATE', [player.playerId]);
    const signingIn = arrangePlayer(app, tenant, player.username);
    await untilBlocked(app);
    const kicking = forceLogout(player.playerId);
    await untilBlocked(app, 2);
    await holder.query('COMMIT');
    holder.release();
    assert.equal((await kicking).body.endedSessions, 2);
    assert.equal((await refresh((await signingIn).refreshToken)).status, 401);
  });
});
