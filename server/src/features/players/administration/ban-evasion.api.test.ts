import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { emailClient } from '../../../testing/email-player.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { untilBlocked } from '../../../testing/row-locks.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { deleteExpiredBanFingerprints } from './moderation-queries.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const database = openDatabase(app.databaseUrl, { poolSize: 1, work: 'job' });
after(() => database.close());
const providers = ['EmailOneTimeCode', 'EmailPassword', 'Mock'];
const tenant = await arrangeTenant(app, { providers });
const sibling = await arrangeTenant(app, { providers, workspaceId: tenant.workspaceId });
const admin = await arrangeAccount(app, tenant, 'admin');
const { codeFor, exchange, post, secretTo, signUp } = await emailClient(app);

const ME = '/api/player-profile/me';
const banPath = (playerId: string) => `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
const ban = async (playerId: string, body: object = {}) =>
  assert.equal((await app.http.post(banPath(playerId), body, admin)).status, 201);
const logIn = (username: string, at: TestTenant = tenant, path = 'login') =>
  app.http.post(`/api/player-auth/${path}`, { provider: 'Mock', token: `mock:${username}:secret` }, at);
const isBanned = async (username: string, path?: string) => {
  const { status, body } = await logIn(username, tenant, path);
  assert.ok(status < 300 || body.code === 'player_banned', JSON.stringify(body));
  return status === 403;
};

/** A banned player, with a token of another tenant that can still change the profile. */
async function bannedPlayer(body: object = {}) {
  const { username, playerId } = await arrangePlayer(app, tenant);
  const elsewhere = await logIn(username, sibling);
  await ban(playerId, body);
  return { username, playerId, bearer: elsewhere.body.accessToken as string };
}
const fingerprints = async (playerId: string) =>
  (await app.owner.query('SELECT FROM ban_fingerprints WHERE player_id = $1', [playerId])).rowCount;

describe('a banned identity', () => {
  test('stays banned in its tenant after the profile is deleted, until the ban is lifted', async () => {
    const player = await bannedPlayer();
    assert.equal((await app.http.delete(ME, player)).status, 204);
    assert.ok(await isBanned(player.username));
    assert.ok(await isBanned(player.username, 'players'));
    assert.equal((await logIn(player.username, sibling)).body.isNewPlayer, true);
    assert.ok(
      await isBanned(player.username),
      'also after the identity has created a new player in another tenant',
    );
    assert.ok(await isBanned(player.username, 'players'), 'before player_exists');
    assert.equal((await app.http.delete(banPath(player.playerId), admin)).status, 204);
    assert.equal(await fingerprints(player.playerId), 0);
    assert.equal(await isBanned(player.username), false);
  });

  test('stays banned if an expired ban is renewed while its fingerprints are deleted', async () => {
    const player = await bannedPlayer();
    await app.owner.query(
      `UPDATE tenant_access SET banned_until = now() - interval '1 day' WHERE player_id = $1`,
      [player.playerId],
    );
    const { body } = await logIn(player.username);
    // The new ban waits here, after it has stored the fingerprints.
    const session = await app.owner.connect();
    await session.query('BEGIN');
    await session.query('SELECT FROM login_sessions WHERE session_id = $1 FOR UPDATE', [body.sessionId]);
    const banning = ban(player.playerId);
    await untilBlocked(app);
    const deleting = deleteExpiredBanFingerprints(database.forTenant(tenant.tenantId), tenant.tenantId);
    await Promise.race([untilBlocked(app, 2), deleting]);
    await session.query('COMMIT');
    session.release();
    await Promise.all([banning, deleting]);
    assert.equal((await app.http.delete(ME, player)).status, 204);
    assert.ok(await isBanned(player.username));
  });

  test('stays banned after it is unlinked', async () => {
    const { username, playerId } = await arrangePlayer(app, tenant);
    const { body } = await logIn(username, sibling);
    const caller = { bearer: body.accessToken as string };
    const other = randomBytes(6).toString('hex');
    const link = { provider: 'Mock', token: `mock:${other}:secret` };
    assert.equal((await app.http.post(`${ME}/auth-methods`, link, caller)).status, 201);
    await ban(playerId);
    const { authMethods } = (await app.http.get(ME, caller)).body;
    const first = authMethods.find((method: { username: string }) => method.username === username);
    assert.equal((await app.http.delete(`${ME}/auth-methods/${first.id}`, caller)).status, 204);
    assert.ok(await isBanned(username));
    assert.ok(await isBanned(other));
  });

  test('stays banned after a merge, until the ban of the remaining profile is lifted', async () => {
    const source = await bannedPlayer();
    const target = await arrangePlayer(app, tenant);
    const merged = await app.http.post(
      `${ME}/merge`,
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      },
      { bearer: target.accessToken },
    );
    assert.equal(merged.status, 200, merged.text);
    const { body } = await logIn(target.username, sibling);
    assert.equal((await app.http.delete(ME, { bearer: body.accessToken })).status, 204);
    assert.ok(await isBanned(source.username));
    assert.equal((await app.http.delete(banPath(target.playerId), admin)).status, 204);
    assert.equal(await isBanned(source.username), false);
  });

  test('can sign in again after the ban expires', async () => {
    const player = await bannedPlayer({ until: new Date(Date.now() + 60_000).toISOString() });
    await app.http.delete(ME, player);
    assert.ok(await isBanned(player.username));
    const expire = () =>
      app.owner.query(
        `UPDATE tenant_access SET banned_until = now() - interval '1 second' WHERE player_id = $1`,
        [player.playerId],
      );
    await expire();
    assert.equal(await isBanned(player.username), false);
    await ban(player.playerId);
    assert.ok(await isBanned(player.username), 'a renewed ban refuses the new player of the identity too');
    await expire();
    const other = await bannedPlayer();
    await deleteExpiredBanFingerprints(database.forTenant(tenant.tenantId), tenant.tenantId);
    const kept = [await fingerprints(player.playerId), await fingerprints(other.playerId)];
    assert.deepEqual(kept, [0, 1], 'only the fingerprints of expired bans are deleted');
  });

  test('can be an email address, by code and by password', async () => {
    const email = someEmail();
    const { body } = await exchange(email, await codeFor(email, tenant), tenant);
    const elsewhere = await exchange(email, await codeFor(email, sibling), sibling);
    await ban(body.playerId, { reason: 'Cheating' });
    await app.http.delete(ME, { bearer: elsewhere.body.accessToken });
    const proven = await exchange(email, await codeFor(email, tenant), tenant);
    // Anybody can sign up with an address that is not theirs.
    const claimed = await signUp(email, tenant);
    for (const { status, body: problem } of [proven, claimed])
      assert.deepEqual([status, problem.code], [403, 'player_banned']);
    assert.deepEqual(proven.body.ban, { reason: 'Cheating', until: null });
    assert.deepEqual(claimed.body.ban, { reason: null, until: null });
  });

  test('ignores unverified addresses, so the owner of the address can still sign in', async () => {
    const email = someEmail();
    const stranger = await signUp(email, tenant);
    await ban(stranger.body.playerId, { reason: 'Cheating' });
    assert.equal(await fingerprints(stranger.body.playerId), 0);
    assert.equal((await app.http.delete(ME, { bearer: stranger.body.accessToken })).status, 204);
    const owner = await exchange(email, await codeFor(email, tenant), tenant);
    assert.deepEqual([owner.status, owner.body.isNewPlayer], [200, true], owner.text);
  });

  test('is a verified address of a sign-up by password', async () => {
    const email = someEmail();
    const { body } = await signUp(email, tenant);
    const token = await secretTo(email);
    assert.equal((await post('email/verify', { token }, tenant)).status, 200);
    await ban(body.playerId);
    assert.equal((await app.http.delete(ME, { bearer: body.accessToken })).status, 204);
    for (const again of [
      await exchange(email, await codeFor(email, tenant), tenant),
      await signUp(email, tenant),
    ])
      assert.deepEqual([again.status, again.body.code], [403, 'player_banned']);
  });

  test('stays banned with the other identities of a profile whose address is unverified', async () => {
    const email = someEmail();
    const { body } = await signUp(email, tenant);
    const caller = { bearer: body.accessToken as string };
    const username = randomBytes(6).toString('hex');
    const link = { provider: 'Mock', token: `mock:${username}:secret` };
    assert.equal((await app.http.post(`${ME}/auth-methods`, link, caller)).status, 201);
    await ban(body.playerId);
    const login = await signUp(email, tenant);
    assert.deepEqual([login.status, login.body.code], [409, 'player_exists']);
    assert.equal((await app.http.delete(ME, caller)).status, 204);
    assert.ok(await isBanned(username));
  });

  test('is stored as a hash only', async () => {
    const player = await bannedPlayer();
    const { rows } = await app.owner.query(
      `SELECT encode(fingerprint, 'escape') AS text, length(fingerprint) AS bytes FROM ban_fingerprints WHERE player_id = $1`,
      [player.playerId],
    );
    assert.deepEqual(
      rows.map(({ bytes }) => bytes),
      [32],
    );
    assert.ok(!rows[0].text.includes(player.username));
  });
});

describe('a ban and a concurrent deletion', () => {
  test('keep the player banned', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { username, playerId } = await arrangePlayer(app, tenant);
        const { body } = await logIn(username, sibling);
        const [banned] = await Promise.all([
          app.http.post(banPath(playerId), {}, admin),
          app.http.delete(ME, { bearer: body.accessToken }),
        ]);
        assert.equal(banned.status, 201);
        const known = (await fingerprints(playerId))!;
        // If the deletion commits first, no identity is left to ban.
        return known > 0 ? isBanned(username) : true;
      }),
    );
    assert.deepEqual(outcomes, Array(8).fill(true));
  });
});
