import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { loginDataOf } from '../../../testing/ledger-data.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { verify, type VerifyRange } from '../../../cli/verify.ts';
import type { AlteredRow } from '../../../core/row-hash.ts';
import { platforms } from './platforms.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const tenant = await arrangeTenant(app);

let count = 0;
const somebody = () => `mock:player-${++count}:secret`;
const logIn = (body: object, headers: Record<string, string> = {}) =>
  app.http.post(
    '/api/player-auth/login',
    { provider: 'Mock', token: somebody(), ...body },
    { ...tenant, headers },
  );

const fingerprint = 'hash-of-hardware';
const row = async (table: string, column: string, value: string) =>
  (await app.owner.query(`SELECT to_jsonb(r) AS row FROM ${table} r WHERE ${column} = $1`, [value])).rows[0]
    ?.row;
const deviceOf = (playerId: string) => row('devices', 'player_id', playerId);

describe('the login request', () => {
  test('accepts and stores every platform', async () => {
    const answers = await Promise.all(platforms.map((platform) => logIn({ clientInfo: { platform } })));
    for (const [index, platform] of platforms.entries()) {
      const { status, body } = answers[index]!;
      assert.equal(status, 200, platform);
      assert.equal((await row('login_sessions', 'session_id', body.sessionId)).platform, platform);
    }
    assert.equal(new Set(platforms).size, 30);
  });

  test('counts lengths in code points', async () => {
    const device = (fields: object) => ({ deviceInfo: { deviceFingerprint: fingerprint, ...fields } });
    const client = (fields: object) => ({ clientInfo: { platform: 'Other', ...fields } });
    const horses = (length: number) => '🐴'.repeat(length);
    for (const [longest, body] of [
      [256, (text: string) => device({ deviceFingerprint: text })],
      [128, (text: string) => device({ hardwareModel: text })],
      [64, (text: string) => device({ osVersion: text })],
      [32, (text: string) => client({ clientVersion: text })],
      [64, (text: string) => client({ clientBuild: text })],
    ] as const) {
      assert.equal((await logIn(body(horses(longest)))).status, 200, `${longest} fit`);
      const over = await logIn(body(horses(longest + 1)));
      assert.deepEqual([over.status, over.body.code], [400, 'invalid_request'], `${longest + 1} do not`);
    }
    assert.equal((await logIn(device({ deviceFingerprint: horses(16) }))).status, 200);
    assert.equal((await logIn(device({ deviceFingerprint: horses(15) }))).status, 400);
  });

  test('returns 400 for each field of a wrong type', async () => {
    for (const wrong of [5, true, [], {}]) {
      for (const field of ['deviceFingerprint', 'hardwareModel', 'osVersion']) {
        const deviceInfo = { deviceFingerprint: fingerprint, [field]: wrong };
        assert.equal((await logIn({ deviceInfo })).status, 400, `${field}: ${JSON.stringify(wrong)}`);
      }
      for (const field of ['platform', 'clientVersion', 'clientBuild']) {
        const clientInfo = { platform: 'Other', [field]: wrong };
        assert.equal((await logIn({ clientInfo })).status, 400, `${field}: ${JSON.stringify(wrong)}`);
      }
    }
    for (const metadata of [5, 'x', true, [], [{}]]) {
      assert.equal((await logIn({ deviceInfo: { deviceFingerprint: fingerprint, metadata } })).status, 400);
      assert.equal((await logIn({ clientInfo: { platform: 'Other', metadata } })).status, 400);
    }
    for (const body of [
      { deviceInfo: {} },
      { deviceInfo: { deviceFingerprint: null } },
      { clientInfo: { platform: null } },
      { deviceInfo: [] },
      { deviceInfo: 'x' },
      { clientInfo: {} },
      { clientInfo: { platform: 'other' } },
      { clientInfo: { platform: 'PC_Linux ' } },
      { clientInfo: { platform: 'Amiga' } },
    ])
      assert.equal((await logIn(body)).status, 400, JSON.stringify(body));
  });

  test('treats null for an optional field as a missing field', async () => {
    const deviceInfo = {
      deviceFingerprint: fingerprint,
      hardwareModel: null,
      osVersion: null,
      metadata: null,
    };
    const clientInfo = { platform: 'PC_Linux', clientVersion: null, clientBuild: null, metadata: null };
    const nulls = { createAccountIfMissing: null, profileVisibility: null };
    for (const body of [
      { ...nulls, deviceInfo, clientInfo },
      { deviceInfo: null, clientInfo: null },
    ]) {
      const answer = await logIn(body);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test('returns 400 for texts that cannot be stored, and for deep nesting', async () => {
    for (const text of ['a\0b', '\ud83d', '\udc34x']) {
      for (const metadata of [{ a: text }, { a: [{ b: text }] }, { [text]: 1 }])
        assert.equal((await logIn({ clientInfo: { platform: 'Other', metadata } })).status, 400);
      assert.equal(
        (await logIn({ deviceInfo: { deviceFingerprint: fingerprint, osVersion: text } })).status,
        400,
      );
      assert.equal((await logIn({ nonsense: text })).status, 400);
    }
    const { body } = await logIn({ clientInfo: { platform: 'Other', metadata: { a: [{ b: 'x\0' }] } } });
    const [message, path] = [
      'contains a NUL character or an unpaired surrogate',
      'clientInfo.metadata.a.0.b',
    ];
    assert.deepEqual([body.code, body.errors], ['invalid_request', [{ path, message }]]);
    assert.equal(body.detail, `${path} ${message}. Remove it.`);

    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const sendMember = (member: string) =>
      app.http.raw(
        'POST',
        '/api/player-auth/login',
        `{"provider":"Mock","token":"${somebody()}",${member}}`,
        tenant,
      );
    const send = (metadata: string) => sendMember(`"clientInfo":{"platform":"Other","metadata":${metadata}}`);
    assert.equal((await send(nested(4))).status, 200, 'metadata may have 4 levels');
    for (const levels of [5, 62, 63, 1_000, 10_000])
      assert.deepEqual([levels, (await send(nested(levels))).status], [levels, 400]);
    assert.equal((await sendMember(`"unknown":${nested(63)}`)).status, 200, 'the body is one more level');
    assert.equal((await send(nested(100_000))).status, 413, 'the body may have 64 KiB');
    for (const levels of [64, 1_000, 10_000]) {
      const refused = await sendMember(`"unknown":${nested(levels)}`);
      assert.deepEqual(
        [levels, refused.status, refused.body.errors],
        [levels, 400, [{ path: '', message: 'has more than 64 levels' }]],
      );
    }
  });
});

describe('the device of a login', () => {
  test('is stored at the first login, and updated by later ones', async () => {
    const token = somebody();
    const metadata = { gpu: { name: 'RTX', memory: 24 }, tags: ['a', null] };
    const first = await logIn({
      token,
      deviceInfo: { deviceFingerprint: fingerprint, hardwareModel: 'PC', metadata },
    });
    const { id, first_seen_at, last_seen_at, created_at_gl, updated_at_gl, received_at_db, ...rest } =
      await deviceOf(first.body.playerId);
    assert.deepEqual(rest, {
      player_id: first.body.playerId,
      device_fingerprint: fingerprint,
      platform: 'Unknown',
      hardware_model: 'PC',
      os_version: null,
      device_name: null,
      is_trusted: false,
      is_blocked: false,
      login_count: 1,
      metadata,
    });
    assert.equal(first_seen_at, last_seen_at);
    assert.equal(first_seen_at, created_at_gl);
    assert.equal(first_seen_at, updated_at_gl);

    await logIn({
      token,
      deviceInfo: { deviceFingerprint: fingerprint, osVersion: '7.1' },
      clientInfo: { platform: 'PC_Linux' },
    });
    const second = await deviceOf(first.body.playerId);
    assert.equal(second.id, id);
    assert.deepEqual([second.platform, second.hardware_model, second.os_version], ['PC_Linux', 'PC', '7.1']);
    assert.deepEqual(
      [second.login_count, second.first_seen_at, second.created_at_gl],
      [2, first_seen_at, created_at_gl],
    );
    assert.deepEqual([second.metadata, second.received_at_db], [metadata, received_at_db]);
    assert.ok(second.last_seen_at > last_seen_at && second.updated_at_gl === second.last_seen_at);

    await logIn({ token, deviceInfo: { deviceFingerprint: fingerprint } });
    assert.equal(
      (await deviceOf(first.body.playerId)).platform,
      'PC_Linux',
      'Unknown does not replace a known platform',
    );
    await logIn({ token });
    assert.equal(
      (await deviceOf(first.body.playerId)).login_count,
      3,
      'a login without a device is not counted',
    );
  });

  test('keeps the later time of a server whose clock is ahead', async () => {
    const elsewhere = await arrangeTenant(app, tenant);
    const token = somebody();
    const deviceInfo = { deviceFingerprint: fingerprint };
    const { playerId } = (await logIn({ token, deviceInfo })).body;
    const seenLast = async () =>
      (
        await app.owner.query(
          `SELECT device.last_seen_at > now() AS device, access.last_seen_at > now() AS player
           FROM devices device JOIN tenant_access access USING (player_id)
           WHERE player_id = $1 AND device_fingerprint = $2 AND tenant_id = $3`,
          [playerId, fingerprint, tenant.tenantId],
        )
      ).rows[0];
    for (const table of ['devices', 'tenant_access'])
      await app.owner.query(
        `UPDATE ${table} SET last_seen_at = now() + interval '1 hour' WHERE player_id = $1`,
        [playerId],
      );
    await logIn({ token, deviceInfo });
    assert.deepEqual(await seenLast(), { device: true, player: true }, 'a known device');
    await logIn({ token, deviceInfo: { deviceFingerprint: 'another-new-device' } });
    await logIn({ token, deviceInfo }, { 'x-game-key': elsewhere.gameKey });
    assert.deepEqual(await seenLast(), { device: true, player: true }, 'a new device and a new tenant');
  });

  test('is registered once by sixteen parallel logins', async () => {
    const token = somebody();
    const { playerId } = (await logIn({ token })).body;
    const deviceInfo = { deviceFingerprint: 'seen-for-the-first-time' };
    const answers = await Promise.all(Array.from({ length: 16 }, () => logIn({ token, deviceInfo })));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(16).fill(200),
    );
    const device = await deviceOf(playerId);
    assert.equal(device.login_count, 16);
    const { rows } = await app.owner.query(
      `SELECT ledger.device_id AS ledger, session.device_id AS session, count(*)::int
     FROM login_ledger ledger JOIN login_sessions session USING (tenant_id, session_id)
     WHERE ledger.player_id = $1 AND ledger.device_id IS NOT NULL GROUP BY 1, 2`,
      [playerId],
    );
    assert.deepEqual(rows, [{ ledger: device.id, session: device.id, count: 16 }]);
  });

  test('is stored once for each player with the same fingerprint', async () => {
    const deviceInfo = { deviceFingerprint: 'shared-'.repeat(4) };
    const [ada, bob] = await Promise.all([logIn({ deviceInfo }), logIn({ deviceInfo })]);
    const devices = await Promise.all([ada, bob].map(({ body }) => deviceOf(body.playerId)));
    assert.notEqual(devices[0].id, devices[1].id);
    assert.deepEqual(
      devices.map((device) => device.login_count),
      [1, 1],
    );
  });

  test('is refused when blocked, but not for other players', async () => {
    const token = somebody();
    const deviceInfo = { deviceFingerprint: 'to-be-blocked-soon' };
    const { playerId } = (await logIn({ token, deviceInfo })).body;
    await app.owner.query('UPDATE devices SET is_blocked = true WHERE player_id = $1', [playerId]);
    const blocked = await logIn({ token, deviceInfo });
    assert.deepEqual([blocked.status, blocked.body.code], [403, 'device_blocked']);
    assert.equal((await deviceOf(playerId)).login_count, 1);
    assert.equal((await logIn({ token })).status, 200, 'without the device');
    assert.equal((await logIn({ deviceInfo })).status, 200, 'another player');
  });
});

describe('the records of a login', () => {
  test('contain the data of the request, and the row hash covers it', async () => {
    const metadata = { z: 1, a: { y: [true, null, 'é🐴"\\\n'], b: 1e21, '': 0.1 }, '10': 0, '9': 'x' };
    const before = Date.now();
    const { body } = await logIn(
      {
        deviceInfo: { deviceFingerprint: fingerprint },
        clientInfo: { platform: 'ConsoleB5Pro', clientVersion: '1.2', clientBuild: 'b77', metadata },
      },
      { 'x-forwarded-for': '2001:DB8:0:0:0:0:0:7' },
    );
    const device = await deviceOf(body.playerId);
    const method = await row('auth_methods', 'player_id', body.playerId);

    const { id, occurred_at, created_at_gl, received_at_db, personal_data, row_hash, ...login } = await row(
      'login_ledger',
      'session_id',
      body.sessionId,
    );
    const said = {
      tenant_id: tenant.tenantId,
      session_id: body.sessionId,
      player_id: body.playerId,
      auth_provider: 'mock',
      auth_method_id: method.id,
      device_id: device.id,
      platform: 'ConsoleB5Pro',
      client_version: '1.2',
    };
    const ip = '2001:db8::7';
    assert.deepEqual(login, {
      ...said,
      client_build: 'b77',
    });
    assert.deepEqual(await loginDataOf(app, body.sessionId), { ipAddress: ip, metadata });
    assert.equal(occurred_at, created_at_gl);
    assert.ok(Date.parse(occurred_at) >= before && Date.parse(received_at_db) >= Date.parse(occurred_at));

    const { started_at, last_seen_at, updated_at_db, key_salt, ...session } = await row(
      'login_sessions',
      'session_id',
      body.sessionId,
    );
    assert.deepEqual(session, {
      ...said,
      ended_at: null,
      end_reason: null,
      last_ip_address: ip,
      tokens_revoked_at: null,
      suspended_at: null,
    });
    assert.deepEqual([started_at, last_seen_at], [occurred_at, occurred_at]);
    assert.ok(updated_at_db);
    assert.match(key_salt, /^\\x[0-9a-f]{32}$/);
    assert.equal(method.last_used_at, occurred_at);

    // Computed independently, by the rules of docs/row-hashes.md.
    const instant = JSON.stringify(`${new Date(occurred_at).toISOString().slice(0, -1)}000Z`);
    const canonical =
      `["login_ledger","${tenant.tenantId}","${id}","${body.sessionId}","${body.playerId}","${method.id}","mock",` +
      `"${device.id}","ConsoleB5Pro","1.2","b77",${instant},${instant},"${personal_data.slice(2)}"]`;
    assert.equal(row_hash, `\\x${createHash('sha256').update(canonical).digest('hex')}`);
  });

  test('contain no IP address when it is malformed, and all hashes match', async () => {
    for (const [forwarded, kept] of [
      ['203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
      ['fe80::1%eth0', 'fe80::1'],
      ['unknown', null],
      ['203.0.113.7:4711', '203.0.113.7'],
      ['[2001:DB8::7]:443', '2001:db8::7'],
      ['[2001:db8::7]', '2001:db8::7'],
      ['203.0.113.7:471100', null],
      ['[203.0.113.7', null],
      ['2001:db8::7]:443', null],
      ['1.2.3.4/8', null],
      ["'; DROP TABLE players", null],
    ] as const) {
      const answer = await logIn({}, { 'x-forwarded-for': forwarded });
      assert.equal(answer.status, 200, forwarded);
      assert.equal((await loginDataOf(app, answer.body.sessionId)).ipAddress, kept, forwarded);
    }
    const altered: AlteredRow[] = [];
    const countVerified = async (range: VerifyRange): Promise<number> => {
      let counted = 0;
      const onRows = (rows: number) => (counted += rows);
      await verify(app.databaseUrl, range, (found) => altered.push(found), { onRows });
      return counted;
    };
    const read = await countVerified({});
    const range = { from: '2000-01-01T00:00:00+23:00', to: '2099-01-01T00:00:00-23:00' };
    assert.equal(await countVerified(range), read);
    assert.equal(altered.length, 0);
    assert.ok(read > 40);

    const { rows } = await app.owner.query(
      `UPDATE login_ledger SET client_version = '6.6' WHERE id = (SELECT id FROM login_ledger LIMIT 1) RETURNING id`,
    );
    await verify(app.databaseUrl, {}, (found) => altered.push(found));
    assert.deepEqual(altered, [{ table: 'login_ledger', tenantId: tenant.tenantId, id: rows[0].id }]);
  });
});
