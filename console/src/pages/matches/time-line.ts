import { formatCount } from '../../components/format.ts';

/** The times of a match. */
export interface MatchTimes {
  startedAt: string;
  endedAt: string | null;
  players: { playerId: string; joinedAt: string; leftAt: string | null }[];
}

export interface Moment {
  at: string;
  text: string;
  playerId?: string;
}

/** What happened in a match, oldest first. Who began the match is part of its start. */
export function timeLineOf({ startedAt, endedAt, players }: MatchTimes): Moment[] {
  const began = players.filter(({ joinedAt }) => joinedAt === startedAt).length;
  return [
    { at: startedAt, text: `Started with ${formatCount(began, 'player')}` },
    ...players.flatMap(({ playerId, joinedAt, leftAt }): Moment[] => [
      ...(joinedAt === startedAt ? [] : [{ at: joinedAt, text: 'Joined:', playerId }]),
      ...(leftAt === null ? [] : [{ at: leftAt, text: 'Left:', playerId }]),
    ]),
    ...(endedAt === null ? [] : [{ at: endedAt, text: 'Ended' }]),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
