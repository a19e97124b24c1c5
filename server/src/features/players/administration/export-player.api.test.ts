import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
  type TestTenant,
} from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const elsewhere = await arrangeTenant(app, { autoCreate: true });
const admin = await arrangeAccount(app, tenant, 'admin');

const pathOf = ({ tenantId }: TestTenant, playerId: string) =>
  `/api/bus_tenants/${tenantId}/players/${playerId}/export`;

/** Signs the player in to another tenant too, as the store does: one identity in all tenants. */
async function arrangeAcrossTenants(username: string) {
  const player = await arrangePlayer(app, tenant, username);
  await app.owner.query(
    `WITH access AS (
         INSERT INTO tenant_access (tenant_id, player_id, search_name, first_seen_at, last_seen_at)
         SELECT $1, id, search_name, now(), now() FROM players WHERE id = $2)
       INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform)
       VALUES ($1, gen_random_uuid(), $2, now(), now(), 'elsewhere', 'Other')`,
    [elsewhere.tenantId, player.playerId],
  );
  return player;
}

async function sendEvent({ playerId, caller }: Awaited<ReturnType<typeof arrangePlayer>>) {
  const event = {
    playerId,
    eventKey: 'step',
    idempotencyKey: randomUUID(),
    occurredAt: '2026-01-01T00:00:00Z',
    value: '9223372036854775807',
  };
  const { status, text } = await app.http.post('/api/game/player-events', { events: [event] }, caller);
  assert.equal(status, 201, text);
}

describe('GET /api/bus_tenants/{tenantId}/players/{playerId}/export', () => {
  test('returns all data of the tenant about the player, and none of another tenant', async () => {
    const player = await arrangeAcrossTenants('ada');
    const other = await arrangePlayer(app, tenant, 'ben');
    await sendEvent(player);
    await sendEvent(other);
    const players = `/api/bus_tenants/${tenant.tenantId}/players/${player.playerId}`;
    await app.http.post(`${players}/ban`, { reason: 'tea', note: 'an internal remark' }, admin);
    await app.http.post(`${players}/notes`, { text: 'another internal remark' }, admin);
    await app.owner.query(
      `INSERT INTO third_party_refresh_tokens (token_hash, tenant_id, player_id, session_id, family_id, audience, display_name, email, expires_at)
       SELECT uuid_send(session_id), tenant_id, player_id, session_id, gen_random_uuid(), 'https://forum.example', 'Ada', 'ada@home.example', now() + interval '1 day'
       FROM login_sessions WHERE tenant_id = $1 AND player_id = ANY($2)`,
      [tenant.tenantId, [player.playerId, other.playerId]],
    );

    const { status, headers, body, text } = await app.http.get(pathOf(tenant, player.playerId), admin);
    assert.equal(status, 200, text);
    assert.equal(headers.get('content-disposition'), 'attachment; filename="player-data.json"');
    const { authMethods } = (await app.http.get(players, admin)).body;
    assert.deepEqual(body.player.authMethods, authMethods);
    const lengths = Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.length : typeof value,
    ]);
    assert.deepEqual(Object.fromEntries(lengths), {
      exportedAt: 'string',
      tenantId: 'string',
      player: 'object',
      devices: 0,
      bans: 1,
      sessions: 1,
      logins: 1,
      logouts: 1,
      thirdParties: 1,
      matches: 0,
      matchEvents: 0,
      playerEvents: 1,
    });
    assert.equal(body.player.playerId, player.playerId);
    assert.equal(body.thirdParties[0].audience, 'https://forum.example');
    assert.match(text, /"value":9223372036854775807[,}]/);
    for (const foreign of [
      elsewhere.tenantId,
      other.playerId,
      'elsewhere',
      'internal',
      'home.example',
      'familyId',
    ])
      assert.equal(text.includes(foreign), false, foreign);
  });

  test('leaves an audit record before the first byte', async () => {
    const player = await arrangePlayer(app, tenant);
    const { headers } = await app.http.get(pathOf(tenant, player.playerId), admin);
    const { rows } = await app.owner.query(
      'SELECT tenant_id, actor_id, action, target_id FROM audit_records WHERE request_id = $1',
      [headers.get('x-request-id')],
    );
    assert.deepEqual(rows, [
      {
        tenant_id: tenant.tenantId,
        actor_id: admin.accountId,
        action: 'player.exported',
        target_id: player.playerId,
      },
    ]);
  });

  test('returns 404 for a player of another tenant, and 403 to a viewer', async () => {
    const stranger = await arrangePlayer(app, elsewhere);
    const own = await arrangePlayer(app, tenant);
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    for (const playerId of [stranger.playerId, randomUUID(), 'x'])
      assert.equal((await app.http.get(pathOf(tenant, playerId), admin)).status, 404, playerId);
    assert.equal((await app.http.get(pathOf(elsewhere, stranger.playerId), admin)).status, 404);
    assert.equal((await app.http.get(pathOf(tenant, own.playerId), viewer)).status, 403);
  });

  test('returns 429 while two exports of the account are in progress', async () => {
    const player = await arrangePlayer(app, tenant);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => app.http.get(pathOf(tenant, player.playerId), admin)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < answers.length);
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [429, 'too_many_exports']);
    const { rowCount } = await app.owner.query(
      `SELECT FROM audit_records WHERE action = 'player.exported' AND target_id = $1`,
      [player.playerId],
    );
    assert.equal(rowCount, answers.length - refused.length, 'a refused export leaves no audit record');
  });

  test('returns the rows of merged profiles, and the remaining rows of a deleted one', async () => {
    const [player, absorbed] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const merge = {
      sourceProfileId: absorbed.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${absorbed.username}:secret`,
    };
    const bearer = { bearer: player.accessToken };
    const merged = await app.http.post('/api/player-profile/me/merge', merge, bearer);
    assert.equal(merged.status, 200, merged.text);
    for (const playerId of [player.playerId, absorbed.playerId]) {
      const { body } = await app.http.get(pathOf(tenant, playerId), admin);
      assert.deepEqual([body.player.playerId, body.logins.length], [player.playerId, 2]);
    }
    const deleted = await app.http.delete(
      `/api/admin/players/${player.playerId}`,
      await arrangePlatformAdmin(app),
    );
    assert.equal(deleted.status, 204, deleted.text);
    const { status, body } = await app.http.get(pathOf(tenant, player.playerId), admin);
    assert.deepEqual([status, body.player.isActive, body.player.displayName], [200, false, null]);
  });
});
