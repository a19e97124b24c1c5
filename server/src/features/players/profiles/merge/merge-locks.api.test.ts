import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);

test('a merge and the creation of a match with both players cause no deadlock', async () => {
  const players = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
  // A match locks the players in the order of their ids, which is the order of their creation.
  const [target, source] = players as [(typeof players)[0], (typeof players)[0]];
  assert.ok(target.playerId < source.playerId);
  await whileLocked(
    app,
    async (holder) => {
      await holder.query('SELECT FROM tenant_access WHERE player_id = $1 FOR UPDATE', [source.playerId]);
    },
    async (waiting, release) => {
      const merging = app.http.post(
        '/api/player-profile/me/merge',
        {
          sourceProfileId: source.playerId,
          sourceProvider: 'Mock',
          sourceAuthToken: `mock:${source.username}:secret`,
        },
        { bearer: target.accessToken },
      );
      await waiting(1);
      const creating = app.http.post(
        '/api/game/matches',
        { players: players.map(({ playerId }) => ({ playerId })) },
        { gameKey: tenant.gameKey },
      );
      await waiting(2);
      await release();
      const [merged, created] = await Promise.all([merging, creating]);
      assert.equal(merged.status, 200, merged.text);
      assert.deepEqual([created.status, created.body.code], [404, 'player_not_found'], created.text);
    },
  );
  // The transaction that a deadlock ends runs again, so the answers do not show it.
  const { rows } = await app.owner.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  assert.deepEqual(rows, [{ deadlocks: 0 }]);
});
