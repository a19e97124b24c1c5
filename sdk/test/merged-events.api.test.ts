import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { createEventQueue, createPlayerClient, GuildhallError, memoryStorage } from '../src/index.ts';
import { arrangeGame } from './game.ts';

const app = await startTestApp();

test('the server stores the waiting events of a profile that was merged into another, with its id', async () => {
  const { gameKey, tenantId } = await arrangeGame(app);
  const storage = memoryStorage();
  const game = createPlayerClient({ baseUrl: app.url, gameKey, storage });
  const guest = { provider: 'Mock', token: `mock:guest-${randomUUID()}:secret` } as const;
  const account = { provider: 'Mock', token: `mock:account-${randomUUID()}:secret` } as const;

  const { playerId: guestId } = await game.signIn.withProvider(guest);
  const match = await game.api.POST('/api/game/matches', { body: { players: [{ playerId: guestId }] } });
  const { matchSessionId } = match;
  const { matchPlayerId } = match.players[0]!;
  const offline = async () => Promise.reject(new GuildhallError({ code: 'network_error', status: 0 }));
  const before = createEventQueue({ ...game, send: offline }, { storage });
  await before.addPlayerEvent({ eventKey: 'jump', value: 1 });
  await before.addMatchEvent({ eventKey: 'goal', value: 2, matchSessionId, matchPlayerId });
  await before.close();

  const { playerId: accountId } = await game.signIn.withProvider(account);
  const source = { sourceProfileId: guestId, sourceProvider: guest.provider, sourceAuthToken: guest.token };
  await game.profile.merge(source);
  const queue = createEventQueue(game, { storage });
  await queue.addPlayerEvent({ eventKey: 'jump', value: 3 });
  const { stored, refused, waiting } = await queue.flush(AbortSignal.timeout(120_000));
  await queue.close();
  assert.deepEqual({ stored, refused, waiting }, { stored: 3, refused: 0, waiting: 0 });
  assert.equal((await game.signIn.withProvider(guest)).playerId, accountId);

  const { rows } = await app.owner.query(
    `SELECT player_id AS actor, value::int FROM player_events WHERE tenant_id = $1
     UNION ALL SELECT match_player_id, value::int FROM match_events WHERE tenant_id = $1 ORDER BY value`,
    [tenantId],
  );
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    [guestId, matchPlayerId, accountId],
  );
});
