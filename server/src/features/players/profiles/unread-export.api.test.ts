import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { openWithoutReading } from '../../../testing/unread-response.ts';

const app = await startTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
const tenant = await arrangeTenant(app);
const EXPORT = '/api/player-profile/me/export';

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
});
