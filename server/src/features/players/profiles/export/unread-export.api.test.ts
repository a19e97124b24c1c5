import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { ProblemError } from '../../../../core/problem.ts';
import { arrangePlayer, arrangeTenant, mockClient } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { openWithoutReading } from '../../../../testing/unread-response.ts';

const app = await startTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
const tenant = await arrangeTenant(app);
const EXPORT = '/api/player-profile/me/export';
const MINUTE = 60_000;

const address = '203.0.113.7';
const elsewhere = '198.51.100.7';

/** Adds 10 MB to the export of a player: more than the socket buffers hold for a stalled reader. */
async function addData(playerId: string): Promise<void> {
  await app.owner.query(
    `INSERT INTO player_bans (tenant_id, id, player_id, reason, banned_by, lifted_by, lifted_at)
     SELECT $1, gen_random_uuid(), $2, repeat('x', 20000), $2, $2, now() FROM generate_series(1, 500)`,
    [tenant.tenantId, playerId],
  );
}

const isInvalidBearer = (error?: Error) => error instanceof ProblemError && error.code === 'invalid_bearer';

const exported = (bearer: string, from = elsewhere) =>
  app.http.get(EXPORT, { bearer, headers: { 'x-forwarded-for': from } });

describe('GET /api/player-profile/me/export without reading the answer', () => {
  test('returns 429 after 8 exports of players of a network, and 200 to a player of another network', async () => {
    const players = await Promise.all(Array.from({ length: 8 }, () => arrangePlayer(app, tenant)));
    for (const { playerId } of players) await addData(playerId);
    const stalled = await Promise.all(
      players.map(({ accessToken }) => openWithoutReading(app, EXPORT, { bearer: accessToken, address })),
    );
    assert.deepEqual(new Set(stalled.map(({ statusCode }) => statusCode)), new Set([200]));

    const { accessToken } = await arrangePlayer(app, tenant);
    const refused = await exported(accessToken, address);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_exports']);
    assert.match(refused.body.detail, /At most 8 exports of this network/);
    assert.equal((await exported(accessToken)).status, 200);
    for (const response of stalled) response.destroy();
  });

  test('ends within a minute after the session was revoked, so that the owner can export', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const destroy = context.mock.method(Readable.prototype, 'destroy');
    const { username, playerId } = await arrangePlayer(app, tenant);
    await addData(playerId);
    const { logIn } = mockClient(app, tenant);
    const signIn = async (deviceFingerprint: string): Promise<string> =>
      (await logIn(username, tenant, { deviceInfo: { deviceFingerprint } })).body.accessToken;
    const bearer = await signIn('fingerprint of the thief');
    const { body: devices } = await app.http.get('/api/player/devices', { bearer });
    const stalled = await openWithoutReading(app, EXPORT, { bearer, address });
    assert.equal(stalled.statusCode, 200);
    const owner = await signIn('fingerprint of the owner');
    assert.equal((await exported(owner)).status, 429);

    context.mock.timers.tick(MINUTE);
    const blockThief = () =>
      app.http.patch(`/api/player/devices/${devices[0].id}`, { isBlocked: true }, { bearer: owner });
    assert.equal((await blockThief()).status, 200);
    assert.equal((await exported(owner)).status, 429, 'the session was valid a minute ago');
    context.mock.timers.tick(MINUTE);
    await eventually(async () => (await exported(owner)).status === 200);
    // Otherwise it could have ended because its reader stalled for 30 seconds.
    assert.ok(destroy.mock.calls.some(({ arguments: [error] }) => isInvalidBearer(error)));
    await assert.rejects(once(stalled.resume(), 'end'), { code: 'ECONNRESET' });
  });

  test('ends within a minute after the profile was merged', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const destroy = context.mock.method(Readable.prototype, 'destroy');
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    await addData(source.playerId);
    const stalled = await openWithoutReading(app, EXPORT, { bearer: source.accessToken, address });
    assert.equal(stalled.statusCode, 200);
    const merge = {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${source.username}:secret`,
    };
    const merged = await app.http.post('/api/player-profile/me/merge', merge, { bearer: target.accessToken });
    assert.equal(merged.status, 200, merged.text);
    context.mock.timers.tick(MINUTE);
    await eventually(() => destroy.mock.calls.some(({ arguments: [error] }) => isInvalidBearer(error)));
    await assert.rejects(once(stalled.resume(), 'end'), { code: 'ECONNRESET' });
  });
});
