import { formatCount } from '../../components/format.ts';

/** The times of a match. */
interface MatchTimes {
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

/** The time between two times, such as "02:13" or "1:02:13". */
export function formatDuration(from: string, to: string): string {
  const seconds = Math.floor((Date.parse(to) - Date.parse(from)) / 1000);
  const [hours, ...rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const clock = rest.map((part) => String(part).padStart(2, '0')).join(':');
  return hours === 0 ? clock : `${hours}:${clock}`;
}
