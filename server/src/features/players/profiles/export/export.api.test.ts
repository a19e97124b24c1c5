import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { rowsRead } from '../../../../testing/rows-read.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { PAGE_SIZE } from './export-object.ts';
import { pageThirdParties } from './queries.ts';

const app = await startTestApp({ env: { LOG_LEVEL: 'fatal' } });
const tenant = await arrangeTenant(app, { autoCreate: true });
const ME = '/api/player-profile/me';
const exported = (caller: Caller) => app.http.get(`${ME}/export`, caller);

async function newPlayer() {
  const player = await arrangePlayer(app, tenant);
  return { ...player, bearer: player.accessToken };
}
type Player = Awaited<ReturnType<typeof newPlayer>>;

/** A session with a device, a match, a match event, a player event and a logout. */
async function play(player: Player, value: string) {
  const { body } = await app.http.post(
    '/api/player-auth/login',
    {
      provider: 'Mock',
      token: `mock:${player.username}:secret`,
      deviceInfo: { deviceFingerprint: `fingerprint of ${player.username}` },
      clientInfo: { platform: 'PC_Linux', clientVersion: '1.2.3', metadata: { shell: 'fish' } },
    },
    tenant,
  );
  const caller = { gameKey: tenant.gameKey, bearer: body.accessToken as string };
  const { playerId } = player;
  const match = await app.http.post(
    '/api/game/matches',
    { players: [{ playerId }] },
    { gameKey: tenant.gameKey },
  );
  const [entry] = match.body.players;
  const event = {
    eventKey: 'coin',
    idempotencyKey: randomBytes(8).toString('hex'),
    occurredAt: '2026-01-01T00:00:00Z',
  };
  const matchEvent = {
    ...event,
    matchSessionId: match.body.matchSessionId,
    matchPlayerId: entry.matchPlayerId,
  };
  const send = (kind: string, body_: unknown) =>
    app.http.raw(
      'POST',
      `/api/game/${kind}`,
      JSON.stringify({ events: [body_] }).replace('"VALUE"', value),
      caller,
    );
  for (const sent of [
    await send('events', { ...matchEvent, value: 'VALUE' }),
    await send('player-events', { ...event, eventKey: 'step', playerId, value: 'VALUE' }),
  ])
    assert.equal(sent.status, 201, sent.text);
  const out = await app.http.post('/api/player-auth/logout', { sessionId: body.sessionId }, tenant);
  assert.equal(out.status, 200);
}

describe('GET /api/player-profile/me/export', () => {
  test('contains all data of the player and of merged profiles, without secrets and other players', async () => {
    const [player, absorbed, stranger] = [await newPlayer(), await newPlayer(), await newPlayer()];
    await play(player, '9223372036854775807');
    await play(absorbed, '1');
    await play(stranger, '2');
    const admin = await arrangeAccount(app, tenant, 'admin');
    const ban = { reason: 'tea', note: 'a note of the studio', until: '2099-01-01T00:00:00Z' };
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${absorbed.playerId}/ban`;
    assert.equal((await app.http.post(path, ban, admin)).status, 201);
    // A ban in force would end the session of the export.
    assert.equal((await app.http.delete(path, admin)).status, 204);
    const merge = {
      sourceProfileId: absorbed.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${absorbed.username}:secret`,
    };
    assert.equal((await app.http.post(`${ME}/merge`, merge, player)).status, 200);

    const { status, headers, body, text } = await exported(player);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(headers.get('content-disposition'), 'attachment; filename="player-data.json"');
    assert.deepEqual(Object.keys(body), [
      'exportedAt',
      'profile',
      'mergedProfiles',
      'emailAddresses',
      'devices',
      'bans',
      'portalSessions',
      'thirdParties',
      'sessions',
      'logins',
      'logouts',
      'matches',
      'matchEvents',
      'playerEvents',
    ]);
    assert.deepEqual(body.profile, (await app.http.get(ME, player)).body);
    const lengths = Object.fromEntries(
      Object.entries(body).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value.length]] : [])),
    );
    assert.deepEqual(lengths, {
      mergedProfiles: 1,
      emailAddresses: 0,
      devices: 2,
      bans: 1,
      portalSessions: 0,
      thirdParties: 0,
      sessions: 4,
      logins: 4,
      logouts: 3,
      matches: 2,
      matchEvents: 2,
      playerEvents: 2,
    });
    assert.equal(body.mergedProfiles[0].id, absorbed.playerId);
    assert.equal(body.bans[0].reason, 'tea');
    assert.equal(body.logouts[0].reason, 'user_logout');
    const login = body.logins.find(
      ({ clientVersion }: { clientVersion: string }) => clientVersion === '1.2.3',
    );
    assert.deepEqual(
      [login.platform, login.metadata, login.ipAddress],
      ['PC_Linux', { shell: 'fish' }, '127.0.0.1'],
    );
    assert.equal(body.matches[0].tenantId, tenant.tenantId);
    assert.equal(text.match(/"value":9223372036854775807[,}]/g)?.length, 2, 'values keep all digits');
    for (const secret of [stranger.playerId, 'studio', 'Hash', 'hash', 'secret'])
      assert.equal(text.replaceAll(/"rowHash":"[0-9a-f]+"/g, '').includes(secret), false, secret);
  });

  test('exports long lists completely and in order', async () => {
    const player = await newPlayer();
    await app.owner.query(
      `INSERT INTO login_ledger (tenant_id, id, session_id, player_id, auth_provider, platform, occurred_at, created_at_gl,
                               received_at_db, personal_data, row_hash)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), $2, 'mock', 'Other', now(), now(), now() - (n / 3) * interval '1 ms', '', ''
     FROM generate_series(1, 2999) n`,
      [tenant.tenantId, player.playerId],
    );
    await app.owner.query(
      `INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, ended_at, end_reason, auth_provider, platform)
     SELECT $1, gen_random_uuid(), $2, now(), now() - (n / 3) * interval '1 ms', CASE WHEN n > 9 THEN now() END, CASE WHEN n > 9 THEN 'timeout' END, 'mock', 'Other'
     FROM generate_series(1, 1999) n`,
      [tenant.tenantId, player.playerId],
    );
    await app.owner.query(
      `INSERT INTO logout_ledger (tenant_id, id, session_id, player_id, reason, occurred_at, created_at_gl, received_at_db)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), $2, 'timeout', now(), now(), now() - (n / 3) * interval '1 ms'
       FROM generate_series(1, 500) n`,
      [tenant.tenantId, player.playerId],
    );
    await app.owner.query(
      `INSERT INTO player_bans (tenant_id, id, player_id, banned_by, banned_at, lifted_at)
       SELECT $1, gen_random_uuid(), $2, $2, now() - (n / 3) * interval '1 ms', now() FROM generate_series(1, 500) n`,
      [tenant.tenantId, player.playerId],
    );
    await app.owner.query(
      `INSERT INTO portal_sessions (id, player_id, created_at)
       SELECT gen_random_uuid(), $1, now() - (n / 3) * interval '1 ms' FROM generate_series(1, 500) n`,
      [player.playerId],
    );
    const { body } = await exported(player);
    for (const [name, key, count] of [
      ['logins', 'receivedAt', 3000],
      ['sessions', 'lastSeenAt', 2000],
      ['logouts', 'receivedAt', 500],
      ['bans', 'bannedAt', 500],
      ['portalSessions', 'startedAt', 500],
    ] as const) {
      const rows: Record<string, string>[] = body[name];
      assert.equal(rows.length, count, name);
      assert.equal(new Set(rows.map(({ id, sessionId }) => id ?? sessionId)).size, count, name);
      assert.ok(
        rows.every(
          (row, index) => index === 0 || Date.parse(row[key]!) >= Date.parse(rows[index - 1]![key]!),
        ),
      );
    }
  });

  test('exports the sessions of each tenant and profile, even if another one has the same id', async () => {
    const player = await newPlayer();
    const other = await arrangeTenant(app);
    // More open sessions than a page has are between the two.
    await app.owner.query(
      `INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, platform)
       SELECT tenant_id, CASE n WHEN 0 THEN $2 ELSE gen_random_uuid() END, $2, now(), now() + n * interval '1 ms', 'mock', 'Other'
       FROM unnest($1::uuid[]) tenant_id, generate_series(0, ${PAGE_SIZE}) n`,
      [[tenant.tenantId, other.tenantId], player.playerId],
    );
    const { body } = await exported(player);
    const same = body.sessions.filter(
      ({ sessionId }: { sessionId: string }) => sessionId === player.playerId,
    );
    assert.deepEqual(
      same.map(({ tenantId }: { tenantId: string }) => tenantId).toSorted(),
      [tenant.tenantId, other.tenantId].toSorted(),
    );
    assert.equal(body.sessions.length, 2 * (PAGE_SIZE + 1) + 1);
  });

  test('exports events of any time', async () => {
    const player = await newPlayer();
    const times = [
      '1970-01-01T00:00:00Z',
      '2025-06-01T12:00:00.123456Z',
      '2025-06-02T12:00:00.123456Z',
      new Date(Date.now() + 47 * 3_600_000).toISOString(),
    ];
    const sent = await app.http.post(
      '/api/game/player-events',
      {
        events: times.map((occurredAt, index) => ({
          playerId: player.playerId,
          eventKey: 'step',
          idempotencyKey: `${player.playerId} ${index}`,
          occurredAt,
        })),
      },
      player.caller,
    );
    assert.equal(sent.status, 201, sent.text);
    const { body } = await exported(player);
    assert.deepEqual(
      body.playerEvents.map(({ occurredAt }: { occurredAt: string }) => Date.parse(occurredAt)),
      times.map((time) => Date.parse(time)),
    );
  });

  test('exports the matches and events of more tenants than the profile lists', async () => {
    const player = await newPlayer();
    await play(player, '1');
    await app.owner.query(
      `WITH later AS (
         INSERT INTO tenants (id, workspace_id, name, slug)
         SELECT gen_random_uuid(), $1, 'later', gen_random_uuid() FROM generate_series(1, 1000) RETURNING id)
       INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at)
       SELECT id, $2, now() + interval '1 hour', now() + interval '1 hour' FROM later`,
      [tenant.workspaceId, player.playerId],
    );
    const { body } = await exported(player);
    assert.equal(body.profile.tenantAccess.length, 1_000);
    assert.deepEqual([body.matches.length, body.matchEvents.length, body.playerEvents.length], [1, 1, 1]);
  });

  test('returns 429 to a second concurrent export, until the first is complete or aborted', async () => {
    const player = await newPlayer();
    const answers = await Promise.all(Array.from({ length: 5 }, () => exported(player)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < 5);
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code], [429, 'too_many_exports']);
      assert.ok(headers.get('retry-after'));
    }
    const { rowCount } = await app.owner.query(
      `SELECT FROM audit_records WHERE action = 'player.data_exported' AND target_id = $1`,
      [player.playerId],
    );
    assert.equal(rowCount, answers.length - refused.length, 'a refused export is no export');
    const gone = new AbortController();
    const request = fetch(`${app.url}${ME}/export`, {
      headers: { authorization: `Bearer ${player.bearer}` },
      signal: gone.signal,
    });
    gone.abort();
    await assert.rejects(request);
    await eventually(async () => (await exported(player)).status === 200);
  });

  test('has each third party with an unused token once, and reads only the rows of a page', async () => {
    const player = await newPlayer();
    const { tenantId } = tenant;
    const tenantIds = [tenantId, (await arrangeTenant(app)).tenantId];
    await app.owner.query(
      `INSERT INTO third_party_refresh_tokens
         (tenant_id, token_hash, family_id, session_id, player_id, audience, display_name, email, expires_at, used_at)
       SELECT tenant_id, int4send(number), gen_random_uuid(), $2, $2, tenant_id || ' ' || number, 'Ada', 'ada@home.example', now() + interval '1 day',
              CASE WHEN number > 1000 THEN now() END
       FROM unnest($1::uuid[]) tenant_id, generate_series(1, 3000) number`,
      [tenantIds, player.playerId],
    );
    const { body } = await exported(player);
    const audiences = body.thirdParties.map(({ audience }: { audience: string }) => audience);
    assert.deepEqual([audiences.length, new Set(audiences).size], [2_000, 2_000]);
    const { displayName, email } = body.thirdParties[0];
    assert.deepEqual([displayName, email], ['Ada', 'ada@home.example']);

    const { playerId } = player;
    const last = { tenantId, familyId: 'a0000000-0000-4000-8000-000000000000' };
    for (const owner of [{ playerId }, { playerId, tenantId }])
      for (const cursor of [undefined, last]) {
        const rows = await rowsRead(app.owner, owner, (db) => pageThirdParties(db, owner, cursor));
        assert.ok(rows <= PAGE_SIZE, `read ${rows} rows`);
      }
  });

  test('exports the remaining data of a deleted profile', async () => {
    const player = await newPlayer();
    await app.http.delete(ME, player);
    const { status, body } = await exported(player);
    assert.deepEqual([status, body.profile.isActive, body.logins.length], [200, false, 1]);
  });
});
