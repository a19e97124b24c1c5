import type { Match } from './queries';

export interface Moment {
  at: string;
  text: string;
  playerId?: string;
}

/** What happened in a match, oldest first. Who began the match is part of its start. */
export function timeLineOf({ startedAt, endedAt, players }: Match): Moment[] {
  const began = players.filter(({ joinedAt }) => joinedAt === startedAt).length;
  return [
    { at: startedAt, text: `Started with ${began} ${began === 1 ? 'player' : 'players'}` },
    ...players.flatMap(({ playerId, joinedAt, leftAt }): Moment[] => [
      ...(joinedAt === startedAt ? [] : [{ at: joinedAt, text: 'Joined:', playerId }]),
      ...(leftAt === null ? [] : [{ at: leftAt, text: 'Left:', playerId }]),
    ]),
    ...(endedAt === null ? [] : [{ at: endedAt, text: 'Ended' }]),
  ].toSorted((one, other) => (one.at < other.at ? -1 : 1));
}
