import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import type { PlayerCaller } from '../../../../core/callers.ts';
import { openDatabase, type Database, type Scope } from '../../../../database/database.ts';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import type { AvatarStore } from './avatar-store.ts';
import { uploadAvatar } from './upload-avatar.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());
const tenant = await arrangeTenant(app);
const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

let transactions = 0;
/** A database that loses its connection after the commit of a player's second transaction, before the answer. The first one only reads. */
const losingAnswers: Database = {
  ...database,
  forPlayer: (playerId): Scope => ({
    ...database.forPlayer(playerId),
    async transaction(work) {
      const result = await database.forPlayer(playerId).transaction(work);
      if (++transactions === 1) return result;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    },
  }),
};

test('an upload keeps the image of the profile if the answer of the commit is lost', async () => {
  const { playerId, accessToken } = await arrangePlayer(app, tenant);
  const caller: PlayerCaller = {
    playerId,
    tenantId: tenant.tenantId,
    sessionId: null,
    expiresAtMs: Infinity,
  };
  const stored = new Set<string>();
  const avatars = {
    async add() {
      stored.add('new.png');
      return 'new.png';
    },
    urlOf: (name: string) => `https://images.example/${name}`,
    remove: async (name: string) => void stored.delete(name),
  } as unknown as AvatarStore;
  const unlimited = { spend: async () => {} } as never;
  const services = {
    database: losingAnswers,
    avatars,
    profileChanges: unlimited,
    smallProfileChanges: unlimited,
  };
  await assert.rejects(
    uploadAvatar(services, { ...caller, ipAddress: null }, image, () => {}),
    { code: 'ECONNRESET' },
  );
  const { body } = await app.http.get('/api/player-profile/me', { bearer: accessToken });
  assert.equal(body.avatarUrl, 'https://images.example/new.png');
  assert.deepEqual([...stored], ['new.png']);
});

for (const [code, change] of [
  ['profile_deleted', 'UPDATE players SET is_active = false WHERE id = $1'],
  ['invalid_bearer', 'UPDATE login_sessions SET tokens_revoked_at = now() WHERE player_id = $1'],
] as const)
  test(`an upload removes its image again if it is refused with ${code} after the image was stored`, async () => {
    const { playerId, sessionId } = await arrangePlayer(app, tenant);
    const stored = new Set<string>();
    const avatars = {
      async add() {
        stored.add('new.png');
        await app.owner.query(change, [playerId]);
        return 'new.png';
      },
      urlOf: (name: string) => `https://images.example/${name}`,
      remove: async (name: string) => void stored.delete(name),
    } as unknown as AvatarStore;
    const unlimited = { spend: async () => {} } as never;
    const caller = { playerId, tenantId: tenant.tenantId, sessionId, expiresAtMs: Infinity, ipAddress: null };
    await assert.rejects(
      uploadAvatar({ database, avatars, smallProfileChanges: unlimited }, caller, image, () => {}),
      { code },
    );
    assert.deepEqual([...stored], []);
    const { rows } = await app.owner.query('SELECT avatar_url FROM players WHERE id = $1', [playerId]);
    assert.deepEqual(rows, [{ avatar_url: null }]);
  });
