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
import { holdLogins } from '../../../../testing/hold-logins.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import { later } from '../../../../testing/race.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const DEVICES = '/api/player/devices';

const newFingerprint = () => randomBytes(16).toString('hex');
const newName = () => randomBytes(6).toString('hex');
const mock = mockClient(app, tenant);
const { refresh } = mock;
const login = (username: string, deviceFingerprint: string, more: object = {}, at: TestTenant = tenant) =>
  mock.logIn(username, at, { deviceInfo: { deviceFingerprint }, ...more });
const list = (caller: Caller) => app.http.get(DEVICES, caller);
const change = (deviceId: string, body: object, caller: Caller) =>
  app.http.patch(`${DEVICES}/${deviceId}`, body, caller);

/** A player who has signed in from a device. */
async function arrangeDevice() {
  const username = newName();
  const fingerprint = newFingerprint();
  const { body } = await login(username, fingerprint);
  const caller = { bearer: body.accessToken as string };
  const { body: devices } = await list(caller);
  return { username, fingerprint, caller, login: body, device: devices[0] };
}

describe('repeated changes of devices', () => {
  test('are limited to 100 unblocks a day, together with links and exports, and a block is never refused', async () => {
    const { caller, device, username } = await arrangeDevice();
    await login(username, newFingerprint());
    const METHODS = '/api/player-profile/me/auth-methods';
    const link = (name: string, setAsPrimary = false) =>
      app.http.post(METHODS, { provider: 'Mock', token: `mock:${name}:secret`, setAsPrimary }, caller);
    const second = newName();
    const { body: method } = await link(second);
    // The link was the first of 100.
    for (let count = 1; count < 100; count++) {
      assert.equal((await change(device.id, { isBlocked: true }, caller)).status, 200);
      assert.equal((await change(device.id, { isBlocked: false }, caller)).status, 200);
    }
    const other = (await list(caller)).body.find(({ id }: { id: string }) => id !== device.id);
    for (const { id } of [device, other])
      assert.equal((await change(id, { isBlocked: true }, caller)).status, 200);
    for (const refused of [
      await change(device.id, { isBlocked: false }, caller),
      await link(newName()),
      await link(second, true),
      await app.http.post(`${METHODS}/${method.id}/set-primary`, undefined, caller),
      await app.http.get('/api/player-profile/me/export', caller),
    ])
      assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.deepEqual((await link(second)).body, method, 'a repeated link changes nothing');
    assert.equal((await app.http.delete(`${METHODS}/${method.id}`, caller)).status, 204);
    assert.equal(
      (await list(caller)).body.filter(({ isBlocked }: { isBlocked: boolean }) => isBlocked).length,
      2,
    );
  });
});

describe('GET /api/player/devices', () => {
  test('returns the player’s devices, the last used first', async () => {
    const username = newName();
    const [older, newer] = [newFingerprint(), newFingerprint()];
    await login(username, older);
    const { body } = await login(username, newer, {
      deviceInfo: {
        deviceFingerprint: newer,
        hardwareModel: 'X-1',
        osVersion: '12.3',
        metadata: { gpu: 'fast', nested: { list: [1] } },
      },
      clientInfo: { platform: 'ConsoleB5Pro' },
    });
    const { status, body: devices } = await list({ bearer: body.accessToken });
    assert.equal(status, 200);
    const [first, second] = devices;
    const { id, firstSeenAt, lastSeenAt, createdAtGl, updatedAtGl, receivedAtDb, ...rest } = first;
    assert.deepEqual(rest, {
      playerId: body.playerId,
      deviceFingerprint: newer,
      platform: 'ConsoleB5Pro',
      platformDisplayName: 'Console B5 Pro',
      hardwareModel: 'X-1',
      osVersion: '12.3',
      deviceName: null,
      isTrusted: false,
      isBlocked: false,
      loginCount: 1,
      metadata: { gpu: 'fast', nested: { list: [1] } },
    });
    assert.match(id, /^[0-9a-f-]{36}$/);
    for (const time of [firstSeenAt, lastSeenAt, createdAtGl, updatedAtGl, receivedAtDb])
      assert.match(time, /^\d{4}-.*Z$/);
    assert.deepEqual(
      [second.deviceFingerprint, second.platform, second.platformDisplayName, devices.length],
      [older, 'Unknown', 'Unknown', 2],
    );
  });

  test('returns an empty list for a player without devices', async () => {
    const { caller } = await arrangePlayer(app, tenant);
    assert.deepEqual((await list({ bearer: caller.bearer })).body, []);
  });

  test('counts each login with the device, and nothing else', async () => {
    const { username, fingerprint, device, caller, login: first } = await arrangeDevice();
    await refresh(first.refreshToken);
    await change(device.id, { deviceName: 'mine' }, caller);
    await login(username, newFingerprint());
    const [, unchanged] = (await list(caller)).body;
    assert.deepEqual([unchanged.loginCount, unchanged.lastSeenAt], [1, device.lastSeenAt]);
    await login(username, fingerprint);
    const [changed] = (await list(caller)).body;
    assert.deepEqual(
      [changed.id, changed.loginCount, changed.firstSeenAt],
      [device.id, 2, device.firstSeenAt],
    );
    assert.ok(Date.parse(changed.lastSeenAt) > Date.parse(device.lastSeenAt));
    assert.deepEqual([changed.deviceName, changed.isTrusted], ['mine', false]);
  });
});

describe('PATCH /api/player/devices/{deviceId}', () => {
  test('changes the name and the trust, and keeps fields that are not sent', async () => {
    const { device, caller } = await arrangeDevice();
    const named = await change(device.id.toUpperCase(), { deviceName: `  ${'🎯'.repeat(64)} ` }, caller);
    assert.equal(named.status, 200, named.text);
    const { updatedAtGl } = named.body;
    assert.deepEqual(named.body, { ...device, deviceName: '🎯'.repeat(64), updatedAtGl });
    const trusted = await change(device.id, { isTrusted: true, platform: 'PC_Mac', loginCount: 99 }, caller);
    assert.deepEqual(
      [trusted.body.isTrusted, trusted.body.deviceName, trusted.body.platform, trusted.body.loginCount],
      [true, '🎯'.repeat(64), 'Unknown', 1],
    );
    const cleared = await change(device.id, { deviceName: null }, caller);
    assert.deepEqual([cleared.body.deviceName, cleared.body.isTrusted], [null, true]);
    assert.deepEqual((await list(caller)).body, [cleared.body]);
  });

  test('returns 400 or 415 for an invalid change', async () => {
    const { device, caller } = await arrangeDevice();
    for (const body of [
      { deviceName: '🎯'.repeat(65) },
      { deviceName: '  ' },
      { deviceName: 5 },
      { isTrusted: 'true' },
      { isTrusted: 0 },
      { isBlocked: 1 },
      [],
    ])
      assert.equal((await change(device.id, body, caller)).status, 400, JSON.stringify(body));
    assert.equal((await app.http.raw('PATCH', `${DEVICES}/${device.id}`, '{', caller)).status, 400);
    const xml = { ...caller, headers: { 'content-type': 'application/xml' } };
    assert.equal((await app.http.raw('PATCH', `${DEVICES}/${device.id}`, '<a/>', xml)).status, 415);
    assert.deepEqual((await list(caller)).body, [device]);
  });

  test('returns 404 for devices of other players', async () => {
    const mine = await arrangeDevice();
    const theirs = await arrangeDevice();
    const before = await list(theirs.caller);
    for (const id of [theirs.device.id, randomUUID(), 'nonsense']) {
      const answer = await change(id, { isBlocked: true, deviceName: 'mine' }, mine.caller);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], id);
    }
    assert.deepEqual((await list(theirs.caller)).body, before.body);
    assert.equal((await refresh(theirs.login.refreshToken)).status, 200);
  });

  test('blocks logins and refreshes of the device in all tenants, and of no other device', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const { username, fingerprint, device, caller, login: first } = await arrangeDevice();
    const { body: elsewhere } = await login(username, fingerprint, {}, sibling);
    assert.equal(elsewhere.playerId, first.playerId);
    const { body: otherDevice } = await login(username, newFingerprint());
    const namesake = await arrangeDevice();
    await login(namesake.username, fingerprint);
    const { body: ofNamesake } = await login(namesake.username, fingerprint);

    const blocked = await change(device.id, { isBlocked: true }, caller);
    assert.equal(blocked.status, 200, blocked.text);
    assert.equal(blocked.body.isBlocked, true);
    assert.equal((await refresh(first.refreshToken)).status, 401);
    assert.equal((await refresh(elsewhere.refreshToken, sibling)).status, 401);
    for (const at of [tenant, sibling]) {
      const refused = await login(username, fingerprint, {}, at);
      assert.deepEqual([refused.status, refused.body.code], [403, 'device_blocked']);
    }
    assert.equal((await refresh(otherDevice.refreshToken)).status, 200, 'another device is not blocked');
    assert.equal(
      (await refresh(ofNamesake.refreshToken)).status,
      200,
      'the same device of another player is not blocked',
    );
    assert.equal((await list(caller)).status, 200, 'the access token stays valid until it expires');

    const unblocked = await change(device.id, { isBlocked: false }, caller);
    assert.equal(unblocked.body.isBlocked, false);
    assert.equal((await refresh(first.refreshToken)).status, 401, 'a revoked token stays revoked');
    const { body: again } = await login(username, fingerprint);
    assert.equal((await refresh(again.refreshToken)).status, 200);
  });

  test('ends the sessions of a blocked device with a ledger row each', async () => {
    const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const { username, fingerprint, device, login: first } = await arrangeDevice();
    const { body: elsewhere } = await login(username, fingerprint, {}, sibling);
    const { body: other } = await login(username, newFingerprint());
    for (const isBlocked of [true, true, false, true])
      assert.equal((await change(device.id, { isBlocked }, { bearer: other.accessToken })).status, 200);
    const { rows } = await app.owner.query(
      'SELECT tenant_id, session_id, reason FROM logout_ledger WHERE player_id = $1',
      [device.playerId],
    );
    const reason = 'device_blocked';
    assert.deepEqual(
      new Set(rows.map((row) => JSON.stringify(row))),
      new Set(
        [
          { tenant_id: tenant.tenantId, session_id: first.sessionId, reason },
          { tenant_id: sibling.tenantId, session_id: elsewhere.sessionId, reason },
        ].map((row) => JSON.stringify(row)),
      ),
    );
    assert.equal(rows.length, 2);
  });

  test('refuses a block and an unblock with a token of a revoked session', async () => {
    const { username, device, caller: stolen } = await arrangeDevice();
    const { body } = await login(username, newFingerprint());
    const owner = { bearer: body.accessToken as string };
    const own = (await list(owner)).body.find(({ id }: typeof device) => id !== device.id);
    assert.equal((await change(device.id, { isBlocked: true }, owner)).status, 200);
    for (const [id, isBlocked] of [
      [device.id, false],
      [own.id, true],
    ]) {
      const refused = await change(id, { isBlocked, deviceName: 'mine' }, stolen);
      assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_bearer']);
    }
    const states = (await list(owner)).body.map((left: typeof device) => [left.isBlocked, left.deviceName]);
    assert.deepEqual(states.toSorted(), [
      [false, null],
      [true, null],
    ]);
    assert.equal((await change(device.id, { isBlocked: false }, owner)).status, 200);
  });

  test('lets a token that has blocked its own device unblock it, until another one blocks it', async () => {
    const { username, device, caller } = await arrangeDevice();
    const { body } = await login(username, newFingerprint());
    const owner = { bearer: body.accessToken as string };
    for (const isBlocked of [true, true, false, true])
      assert.equal((await change(device.id, { isBlocked }, caller)).status, 200);
    assert.equal((await change(device.id, { isBlocked: true }, owner)).status, 200);
    assert.equal((await change(device.id, { isBlocked: false }, caller)).status, 401);
  });

  test('returns 400 for a deleted profile, and stores nothing', async () => {
    const { device, caller } = await arrangeDevice();
    assert.equal((await app.http.delete('/api/player-profile/me', caller)).status, 204);
    for (const changes of [{ deviceName: 'Ada Lovelace' }, { isTrusted: true }, { isBlocked: true }]) {
      const refused = await change(device.id, changes, caller);
      assert.deepEqual([refused.status, refused.body.code], [400, 'profile_deleted']);
    }
    const [left] = (await list(caller)).body;
    assert.deepEqual([left.deviceName, left.isTrusted, left.isBlocked], [null, false, false]);
  });

  test('keeps no name after a concurrent deletion of the profile', async () => {
    for (let round = 0; round < 10; round++) {
      const { device, caller } = await arrangeDevice();
      const [changed, deleted] = await Promise.all([
        later(() => change(device.id, { deviceName: 'Ada Lovelace' }, caller)),
        later(() => app.http.delete('/api/player-profile/me', caller)),
      ]);
      assert.ok([200, 400].includes(changed.status), changed.text);
      assert.equal(deleted.status, 204, deleted.text);
      assert.equal((await list(caller)).body[0].deviceName, null);
    }
  });

  test('leaves no valid refresh token after concurrent logins and refreshes', async () => {
    for (let round = 0; round < 20; round++) {
      const { username, fingerprint, device, caller, login: first } = await arrangeDevice();
      const { body: second } = await login(username, fingerprint);
      const [blocked, ...others] = await Promise.all([
        later(() => change(device.id, { isBlocked: true }, caller)),
        ...[1, 2, 3, 4].map(() => later(() => login(username, fingerprint))),
        later(() => refresh(first.refreshToken)),
        later(() => refresh(second.refreshToken)),
      ]);
      assert.equal(blocked.status, 200, blocked.text);
      for (const { status, text } of others) assert.ok([200, 401, 403].includes(status), text);
      const tokens = [first, second, ...others.map(({ body }) => body)].flatMap(
        ({ refreshToken }) => refreshToken ?? [],
      );
      const answers = await Promise.all(tokens.map((token) => refresh(token)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        tokens.map(() => 401),
      );
      assert.equal((await login(username, fingerprint)).status, 403);
    }
  });

  test('revokes the token of a concurrent login', async () => {
    const { username, fingerprint, device, caller } = await arrangeDevice();
    const held = await holdLogins(app);
    const signingIn = login(username, fingerprint);
    await held.arrival();
    const blocking = change(device.id, { isBlocked: true }, caller);
    await untilBlocked(app);
    await held.release();
    const [signedIn, blocked] = await Promise.all([signingIn, blocking]);
    assert.equal(signedIn.status, 200, 'the login commits first');
    assert.equal(blocked.status, 200);
    assert.equal((await refresh(signedIn.body.refreshToken)).status, 401);
  });
});

describe('/api/player/devices', () => {
  test('returns 401 without a player’s access token', async () => {
    const { device, caller } = await arrangeDevice();
    const callers: Caller[] = [
      {},
      { gameKey: tenant.gameKey },
      { apiKey: tenant.apiKey },
      { bearer: 'nonsense' },
      { bearer: (await arrangeAccount(app, tenant, 'owner')).bearer },
    ];
    for (const other of callers) {
      assert.equal((await list(other)).status, 401);
      assert.equal((await change(device.id, { isBlocked: true }, other)).status, 401);
    }
    assert.equal((await list(caller)).body[0].isBlocked, false);
  });
});
