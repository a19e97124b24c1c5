import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { smallPicture } from '../../../testing/avatars.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import type { AvatarStore } from './avatars/avatar-store.ts';
import { uploadAvatar } from './avatars/upload-avatar.ts';
import { createChangeBudgets } from './change-budgets.ts';
import { changeProfile, type ProfileChanges } from './change-profile.ts';
import { changeDevice } from './devices/devices.ts';
import type { DeviceChanges } from './devices/queries.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());
const tenant = await arrangeTenant(app);

/** A player with a device, who can make 3 small changes a day. */
async function arrange() {
  const { playerId, sessionId } = await arrangePlayer(app, tenant);
  const { tenantId } = tenant;
  const deviceId = randomUUID();
  await app.owner.query(
    `INSERT INTO devices (id, player_id, device_fingerprint, platform, first_seen_at, last_seen_at, created_at_gl, updated_at_gl)
     VALUES ($1, $2, $3, 'Other', now(), now(), now(), now())`,
    [deviceId, playerId, deviceId],
  );
  const createBudget = createAttemptBudgets();
  const limits: number[][] = [];
  const { smallProfileChanges } = createChangeBudgets((options) => {
    limits.push([options.attempts, options.seconds]);
    return createBudget({ ...options, attempts: 3 });
  });
  assert.deepEqual(limits, [
    [100, 24 * 60 * 60],
    [1_000, 24 * 60 * 60],
  ]);
  const avatars = {
    add: async () => 'new.png',
    urlOf: () => 'https://images.example/new.png',
    isOwnUrl: () => false,
    remove: async () => {},
  } as unknown as AvatarStore;
  const config = { profileProof: false };
  const services = { database, avatars, config, smallProfileChanges, profileChanges: null as never };
  const caller = { playerId, tenantId, sessionId: null, expiresAtMs: Infinity };
  const ignore = () => {};
  return {
    playerId,
    deviceId,
    change: (changes: ProfileChanges) => changeProfile(services, caller, changes, ignore),
    changeDevice: (changes: DeviceChanges) =>
      changeDevice(services as never, { ...caller, origin: null as never } as never, deviceId, changes),
    upload: (file: Buffer) => uploadAvatar(services, { ...caller, ipAddress: null }, file, ignore),
    uploadAfterRevocation: async (file: Buffer) => {
      await app.owner.query('UPDATE login_sessions SET tokens_revoked_at = now() WHERE session_id = $1', [
        sessionId,
      ]);
      return uploadAvatar(services, { ...caller, sessionId, ipAddress: null }, file, ignore);
    },
  };
}

const refusal = { code: 'too_many_attempts' };

describe('small changes of a profile', () => {
  test('are limited, except those that hide it', async () => {
    const { change, playerId } = await arrange();
    await change({ profileVisibility: 'full' });
    await change({ avatarUrl: 'https://images.example/1.png' });
    await change({ avatarUrl: 'https://images.example/2.png', profileVisibility: 'limited' });
    await assert.rejects(change({ avatarUrl: 'https://images.example/3.png' }), refusal);
    await assert.rejects(change({ profileVisibility: 'full' }), refusal);
    const shown = await change({ profileVisibility: 'private', avatarUrl: null });
    assert.deepEqual([shown.profileVisibility, shown.avatarUrl], ['private', null]);
    // A change to the same values writes no row.
    const versionOf = async () =>
      (await app.owner.query('SELECT ctid FROM players WHERE id = $1', [playerId])).rows[0].ctid;
    const before = await versionOf();
    await change({ profileVisibility: 'private', avatarUrl: null });
    assert.equal(await versionOf(), before);
  });

  test('are limited together with changes of devices', async () => {
    const { change, changeDevice: rename } = await arrange();
    await rename({ deviceName: 'a' });
    await rename({ isTrusted: true });
    await rename({ deviceName: null, isTrusted: false });
    await assert.rejects(rename({ deviceName: 'b' }), refusal);
    await assert.rejects(change({ profileVisibility: 'full' }), refusal);
  });

  test('are limited before a repeated block searches the sessions of the device', async () => {
    const { playerId, deviceId, changeDevice: change } = await arrange();
    await app.owner.query('UPDATE devices SET is_blocked = true WHERE id = $1', [deviceId]);
    for (let count = 0; count < 3; count++) await change({ isBlocked: true });
    await app.owner.query('UPDATE login_sessions SET device_id = $1 WHERE player_id = $2', [
      deviceId,
      playerId,
    ]);
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM login_sessions WHERE player_id = $1 FOR UPDATE', [playerId]),
      () => assert.rejects(change({ isBlocked: true }), refusal),
    );
  });

  test('are limited together with uploads of avatars, even of files that are no image', async () => {
    const { upload, change } = await arrange();
    await upload(smallPicture);
    for (let count = 0; count < 2; count++)
      await assert.rejects(upload(Buffer.from('none')), { code: 'avatar_type' });
    await assert.rejects(upload(smallPicture), refusal);
    await assert.rejects(change({ avatarUrl: 'https://images.example/1.png' }), refusal);
  });

  test('are not used up by uploads with a token of a revoked session', async () => {
    const { upload, uploadAfterRevocation } = await arrange();
    for (let count = 0; count < 3; count++)
      await assert.rejects(uploadAfterRevocation(Buffer.from('none')), { code: 'invalid_bearer' });
    await upload(smallPicture);
  });
});
