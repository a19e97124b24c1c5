import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const game = { gameKey: tenant.gameKey };

describe('POST /api/game/matches/{matchSessionId}/join', () => {
  test('returns 409 when the match has 1,000 players, except for players who return', async () => {
    const [first, second, third] = [
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
      await arrangePlayer(app, tenant),
    ];
    const created = await app.http.post(
      '/api/game/matches',
      { players: [{ playerId: first.playerId }] },
      game,
    );
    const match = `/api/game/matches/${created.body.matchSessionId}`;
    await app.owner.query(
      `WITH player AS (
         INSERT INTO players (id, created_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 998) RETURNING id)
       INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at)
       SELECT $1, gen_random_uuid(), $2, id, now() FROM player`,
      [tenant.tenantId, created.body.matchSessionId],
    );
    const join = (playerId: string) => app.http.post(`${match}/join`, { playerId }, game);
    assert.equal((await join(second.playerId)).status, 201);
    const refused = await join(third.playerId);
    assert.deepEqual([refused.status, refused.body.code], [409, 'match_full']);
    assert.equal((await join(second.playerId)).body.code, 'already_in_match');
    const { matchPlayerId } = created.body.players[0];
    assert.equal((await app.http.post(`${match}/leave`, { matchPlayerId }, game)).status, 200);
    const back = await join(first.playerId);
    assert.deepEqual([back.status, back.body.matchPlayerId], [201, matchPlayerId]);
    assert.equal((await app.http.get(match, game)).body.players.length, 1_000);
    assert.equal((await join(randomUUID())).body.code, 'player_not_found');
  });
});
