import type { Sender } from './api.ts';
import type { Match, OnlinePlayer } from './online-player.ts';
import type { Random } from './random.ts';

/** The modes of the game, with the number of players and the least and most events of a match. */
const MODES: { mode: string; size: number; length: [least: number, most: number] }[] = [
  { mode: 'duel', size: 2, length: [10, 30] },
  { mode: 'race', size: 3, length: [15, 45] },
  { mode: 'squads', size: 4, length: [20, 60] },
];

export const SMALLEST_MATCH = 2;

/** Chooses a mode that the number of waiting players allows. */
export function chooseMode(random: Random, waiting: number) {
  return random.pick(MODES.filter(({ size }) => size <= waiting));
}

/** Creates a match. Returns the ids of the players who have no session any more if the server refuses them. */
export async function startMatch(
  api: Sender,
  random: Random,
  { mode, length }: ReturnType<typeof chooseMode>,
  players: OnlinePlayer[],
): Promise<Match | { refused: string[] }> {
  const { status, body } = await api.send('POST', '/api/game/matches', {
    players: players.map(({ session }) => ({
      playerId: session.playerId,
      loginSessionId: session.sessionId,
    })),
    mode,
    metadata: { map: random.pick(['harbour', 'castle', 'forest', 'ruins']), ranked: random.chance(0.4) },
  });
  if (status !== 201) {
    const errors = (body?.errors ?? []) as { playerId?: string }[];
    return { refused: errors.flatMap(({ playerId }) => playerId ?? []) };
  }
  const created = body as { matchSessionId: string; players: { matchPlayerId: string; playerId: string }[] };
  const roster = created.players.map(({ matchPlayerId, playerId }) => ({
    matchPlayerId,
    player: players.find(({ session }) => session.playerId === playerId)!,
  }));
  return { matchSessionId: created.matchSessionId, roster, eventsLeft: random.integer(...length) };
}

/** Records the results and ends a match. Returns whether the server accepted the end. */
export async function endMatch(
  api: Sender,
  random: Random,
  { matchSessionId, roster }: Match,
): Promise<boolean> {
  const isDraw = random.chance(0.1);
  const results = roster
    .map(({ matchPlayerId }) => ({ matchPlayerId, score: random.integer(0, 1000) }))
    .toSorted((a, b) => b.score - a.score)
    .map((result, index) => ({
      ...result,
      placement: isDraw ? 1 : index + 1,
      outcome: isDraw ? 'draw' : index === 0 ? 'win' : 'loss',
    }));
  const path = `/api/game/matches/${matchSessionId}`;
  await api.send('PUT', `${path}/results`, { results });
  const { status } = await api.send('POST', `${path}/end`);
  return status === 200;
}
