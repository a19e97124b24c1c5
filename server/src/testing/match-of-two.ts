import assert from 'node:assert/strict';
import { arrangePlayer, arrangeTenant } from './arrange.ts';
import type { Answer } from './http-client.ts';
import type { TestApp } from './test-app.ts';

/** Creates a tenant with automatic event definitions, and two players in a match. `matchPlayerOf` has their match players by player. */
export async function arrangeMatchOfTwo(app: TestApp) {
  const tenant = await arrangeTenant(app, { autoCreate: true });
  const players = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
  const match = await app.http.post(
    '/api/game/matches',
    { players: players.map(({ playerId }) => ({ playerId })) },
    { gameKey: tenant.gameKey },
  );
  assert.equal(match.status, 201, match.text);
  const matchSessionId = match.body.matchSessionId as string;
  const { rows } = await app.owner.query<{ id: string; player_id: string }>(
    'SELECT id, player_id FROM match_players WHERE match_session_id = $1',
    [matchSessionId],
  );
  const matchPlayerOf = new Map(rows.map(({ id, player_id: playerId }) => [playerId, id]));
  return { ...tenant, players, matchSessionId, matchPlayerOf };
}

export type MatchOfTwo = Awaited<ReturnType<typeof arrangeMatchOfTwo>>;

/** Sends events of one of the players. */
export function sendAs(
  app: TestApp,
  { matchSessionId, matchPlayerOf }: MatchOfTwo,
  scope: 'match' | 'player',
  { playerId, caller }: MatchOfTwo['players'][number],
  events: object[],
): Promise<Answer> {
  const [path, actor] =
    scope === 'match'
      ? ['/api/game/events', { matchSessionId, matchPlayerId: matchPlayerOf.get(playerId) }]
      : ['/api/game/player-events', { playerId }];
  return app.http.post(path, { events: events.map((event) => ({ ...actor, ...event })) }, caller);
}
