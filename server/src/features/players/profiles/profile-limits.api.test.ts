import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const ME = '/api/player-profile/me';

const newToken = () => `mock:${randomBytes(6).toString('hex')}:secret`;

/** A player with `count` sign-in methods. */
async function arrangeMethods(count: number) {
  const player = await arrangePlayer(app, tenant);
  await app.owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
     SELECT gen_random_uuid(), $1, 'StoreB', $2 || number, now() FROM generate_series(2, $3) number`,
    [player.playerId, randomBytes(6).toString('hex'), count],
  );
  return { ...player, bearer: player.accessToken };
}

const merge = (target: { bearer: string }, source: { playerId: string; username: string }) =>
  app.http.post(
    `${ME}/merge`,
    {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${source.username}:secret`,
    },
    target,
  );

describe('POST /api/player-profile/me/auth-methods', () => {
  test('returns 400 when the profile has 50 sign-in methods', async () => {
    const player = await arrangeMethods(49);
    const token = newToken();
    const link = (credential: string) =>
      app.http.post(`${ME}/auth-methods`, { provider: 'Mock', token: credential }, player);
    const linked = await link(token);
    assert.ok([200, 201].includes(linked.status), linked.text);
    const refused = await link(newToken());
    assert.deepEqual([refused.status, refused.body.code], [400, 'auth_method_limit']);
    assert.equal((await link(token)).status, linked.status, 'linking a known method again still works');
    assert.equal((await app.http.get(ME, player)).body.authMethods.length, 50);
  });
});

describe('POST /api/player-profile/me/merge', () => {
  test('returns 400 when both profiles have more than 50 sign-in methods together', async () => {
    const [target, source] = [await arrangeMethods(26), await arrangeMethods(25)];
    const { status, body } = await merge(target, source);
    assert.deepEqual([status, body.code], [400, 'merge_refused']);
    assert.match(body.detail, /at most 50 sign-in methods/);
    assert.equal((await app.http.get(ME, target)).body.authMethods.length, 26);
    assert.equal((await app.http.get(ME, source)).body.authMethods.length, 25);
  });

  test('returns 400 when 100 profiles were merged into the target', async () => {
    const [target, source] = [await arrangeMethods(1), await arrangeMethods(1)];
    await app.owner.query(
      `INSERT INTO players (id, created_at, is_active, merged_into_id)
       SELECT gen_random_uuid(), now(), false, $1 FROM generate_series(1, 100)`,
      [target.playerId],
    );
    const { status, body } = await merge(target, source);
    assert.deepEqual([status, body.code], [400, 'merge_refused']);
    assert.equal((await app.http.get(ME, target)).body.mergedProfileIds.length, 100);
  });
});
