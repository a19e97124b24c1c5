import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant, mockClient, type TestTenant } from '../../../../testing/arrange.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const DEVICES = '/api/player/devices';
const MAX_DEVICES = 50;

interface Listed {
  id: string;
  deviceFingerprint: string;
  isBlocked: boolean;
}

const newFingerprint = () => randomBytes(16).toString('hex');

/** A player with devices. The first one was unused for the longest time. */
async function arrangeDevices(count: number, states: { isTrusted?: boolean; isBlocked?: boolean }[] = []) {
  const player = await arrangePlayer(app, tenant);
  const fingerprints = Array.from({ length: count }, newFingerprint);
  await app.owner.query(
    `INSERT INTO devices (id, player_id, device_fingerprint, platform, first_seen_at, last_seen_at, created_at_gl,
                          updated_at_gl, is_trusted, is_blocked)
     SELECT gen_random_uuid(), $1, fingerprint, 'Other', seen, seen, seen, seen, trusted, blocked
     FROM unnest($2::text[], $3::boolean[], $4::boolean[]) WITH ORDINALITY AS device (fingerprint, trusted, blocked, number),
          LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 minute' AS seen) at`,
    [
      player.playerId,
      fingerprints,
      fingerprints.map((_, index) => states[index]?.isTrusted ?? false),
      fingerprints.map((_, index) => states[index]?.isBlocked ?? false),
    ],
  );
  const list = async (query = ''): Promise<Listed[]> => {
    const answer = await app.http.get(DEVICES + query, { bearer: player.accessToken });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  return { ...player, fingerprints, list };
}

const logIn = (username: string, deviceFingerprint: string, at: TestTenant = tenant) =>
  mockClient(app, at).logIn(username, at, { deviceInfo: { deviceFingerprint } });

const known = (devices: Listed[]) => new Set(devices.map((device) => device.deviceFingerprint));

describe('POST /api/player-auth/login with 50 devices', () => {
  test('replaces the untrusted device that was unused for the longest time', async () => {
    const { username, fingerprints, list } = await arrangeDevices(MAX_DEVICES, [
      { isBlocked: true },
      { isTrusted: true },
    ]);
    const added = newFingerprint();
    assert.equal((await logIn(username, added)).status, 200);
    const left = known(await list());
    assert.equal(left.size, MAX_DEVICES);
    assert.deepEqual(
      [...fingerprints, added].filter((fingerprint) => !left.has(fingerprint)),
      [fingerprints[2]],
    );
  });

  test('replaces nothing when the device is known', async () => {
    const { username, fingerprints, list } = await arrangeDevices(MAX_DEVICES);
    assert.equal((await logIn(username, fingerprints[0]!)).status, 200);
    assert.deepEqual(known(await list()), new Set(fingerprints));
  });

  test('replaces a trusted device when all others are trusted or blocked', async () => {
    const { username, fingerprints, list } = await arrangeDevices(
      MAX_DEVICES,
      Array.from({ length: MAX_DEVICES }, (_, index) =>
        index === 0 ? { isBlocked: true } : { isTrusted: true },
      ),
    );
    const added = newFingerprint();
    assert.equal((await logIn(username, added)).status, 200);
    const left = known(await list());
    assert.equal(left.size, MAX_DEVICES);
    assert.deepEqual(
      [left.has(added), left.has(fingerprints[0]!), left.has(fingerprints[1]!)],
      [true, true, false],
    );
  });

  test('signs in without a device record when all 50 are blocked, and keeps all blocks', async () => {
    const { username, fingerprints, list } = await arrangeDevices(
      MAX_DEVICES,
      Array.from({ length: MAX_DEVICES }, () => ({ isBlocked: true })),
    );
    const signedIn = await logIn(username, newFingerprint());
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.deepEqual(known(await list()), new Set(fingerprints));
    for (const fingerprint of [fingerprints[0]!, fingerprints.at(-1)!])
      assert.equal((await logIn(username, fingerprint)).body.code, 'device_blocked');
    const refreshed = await app.http.post(
      '/api/player-auth/refresh',
      { refreshToken: signedIn.body.refreshToken },
      { gameKey: tenant.gameKey },
    );
    assert.equal(refreshed.status, 200, 'the session can be refreshed');
  });

  test('keeps at most 50 devices when new devices sign in concurrently in two tenants', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const { username, list } = await arrangeDevices(MAX_DEVICES - 5);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        logIn(username, newFingerprint(), index % 2 ? tenant : sibling),
      ),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const { rows } = await app.owner.query('SELECT count(*) FROM devices WHERE player_id = $1', [
      answers[0]?.body.playerId,
    ]);
    assert.equal(Number(rows[0].count), MAX_DEVICES);
    assert.equal((await list()).length, MAX_DEVICES);
  });

  test('keeps a device that is blocked during the sign-in', async () => {
    const { username, playerId, fingerprints, list } = await arrangeDevices(MAX_DEVICES);
    const blocking = await app.owner.connect();
    await blocking.query('BEGIN');
    await blocking.query(
      'UPDATE devices SET is_blocked = true WHERE player_id = $1 AND device_fingerprint = $2',
      [playerId, fingerprints[0]],
    );
    const signingIn = logIn(username, newFingerprint());
    await untilBlocked(app);
    await blocking.query('COMMIT');
    blocking.release();
    assert.equal((await signingIn).status, 200);
    const left = known(await list());
    assert.deepEqual(
      [left.size, left.has(fingerprints[0]!), left.has(fingerprints[1]!)],
      [MAX_DEVICES, true, false],
    );
    assert.equal((await logIn(username, fingerprints[0]!)).body.code, 'device_blocked');
  });
});

describe('POST /api/player-profile/me/merge', () => {
  const merge = (target: { accessToken: string }, source: { playerId: string; username: string }) =>
    app.http.post(
      '/api/player-profile/me/merge',
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      },
      { bearer: target.accessToken },
    );

  test('keeps 50 of the devices of both profiles', async () => {
    const target = await arrangeDevices(40, [{ isBlocked: true }, { isTrusted: true }]);
    const source = await arrangeDevices(40, [{ isBlocked: true }, { isTrusted: true }]);
    assert.equal((await merge(target, source)).status, 200);
    const left = known(await target.list());
    assert.equal(left.size, MAX_DEVICES);
    for (const fingerprint of [...target.fingerprints.slice(0, 2), ...source.fingerprints.slice(0, 2)])
      assert.ok(left.has(fingerprint), 'blocked and trusted devices stay');
  });

  test('returns 400 and changes nothing when both profiles together have more than 50 blocked devices', async () => {
    const blocked = Array.from({ length: 26 }, () => ({ isBlocked: true }));
    const [target, source] = [await arrangeDevices(26, blocked), await arrangeDevices(26, blocked)];
    const { status, body } = await merge(target, source);
    assert.deepEqual([status, body.code], [400, 'merge_refused']);
    assert.match(body.detail, /more than 50 blocked devices/);
    assert.deepEqual(known(await target.list()), new Set(target.fingerprints));
    assert.deepEqual(known(await source.list()), new Set(source.fingerprints));
  });
});

describe('GET /api/player/devices', () => {
  test('returns a page', async () => {
    const { list } = await arrangeDevices(5);
    const all = await list();
    assert.deepEqual(await list('?limit=2&offset=1'), all.slice(1, 3));
    assert.deepEqual(await list('?offset=50'), []);
  });

  test('returns 400 for an invalid page', async () => {
    const { accessToken } = await arrangePlayer(app, tenant);
    for (const query of ['?limit=51', '?limit=0', '?offset=-1', `?limit=${randomUUID()}`])
      assert.equal((await app.http.get(DEVICES + query, { bearer: accessToken })).status, 400, query);
  });
});
