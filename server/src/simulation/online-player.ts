import type { Sender } from './api.ts';
import type { Actor, SimulatedEvent } from './events.ts';
import type { PlayerTraits } from './players.ts';
import type { Random } from './random.ts';
import type { Session } from './sign-in.ts';
import { countReason, type Tally } from './tally.ts';

/** A player with an open session. */
export interface OnlinePlayer {
  traits: PlayerTraits;
  session: Session;
  match?: Match | undefined;
  /** Whether a request is in progress that changes the player's state. */
  isBusy: boolean;
  /** When the player leaves, in milliseconds of the simulation. */
  leavesAt: number;
  events: { match: SimulatedEvent[]; player: SimulatedEvent[] };
  /** When the waiting events are sent, in milliseconds of the simulation. */
  sendsAt: number;
}

interface RosterEntry {
  player: OnlinePlayer;
  matchPlayerId: string;
}

/** A match in progress. */
export interface Match {
  matchSessionId: string;
  roster: RosterEntry[];
  /** How many events are left to play. */
  eventsLeft: number;
}

/** How long a game client collects events before it sends them. */
const COLLECT_MS = 1500;

/** The part of batches that a client sends twice because the answer was lost. */
const LOST_ANSWERS = 0.03;

export function createOnlinePlayer(traits: PlayerTraits, session: Session, leavesAt: number): OnlinePlayer {
  return { traits, session, isBusy: false, leavesAt, events: { match: [], player: [] }, sendsAt: Infinity };
}

/** The actor of the player's next event: the roster entry during a match, or the player. */
export function actorOf({ match, session }: OnlinePlayer): Actor {
  const entry = match?.roster.find(({ player }) => player.session === session);
  if (!match || !entry) return { playerId: session.playerId };
  return { matchSessionId: match.matchSessionId, matchPlayerId: entry.matchPlayerId };
}

export function collect(player: OnlinePlayer, event: SimulatedEvent, now: number): void {
  player.events['matchSessionId' in event ? 'match' : 'player'].push(event);
  if (player.sendsAt === Infinity) player.sendsAt = now + COLLECT_MS;
}

/** Sends the collected events. Returns false if the player has no session any more. */
export async function sendEvents(
  api: Sender,
  random: Random,
  player: OnlinePlayer,
  tally: Tally,
): Promise<boolean> {
  const { match, player: own } = player.events;
  player.events = { match: [], player: [] };
  player.sendsAt = Infinity;
  const batches = [
    { path: '/api/game/events', events: match },
    { path: '/api/game/player-events', events: own },
  ].filter(({ events }) => events.length > 0);
  for (const { path, events } of batches) {
    const times = random.chance(LOST_ANSWERS) ? 2 : 1;
    for (let time = 1; time <= times; time++) {
      const { status, body } = await api.send('POST', path, { events }, player.session.accessToken);
      if (status === 401) return false;
      if (!body?.records) {
        countReason(tally, status, String(body?.code));
        continue;
      }
      tally.accepted += body.records.length;
      tally.repeated += body.duplicateCount;
      // The second answer refuses the same events once more.
      if (time === 1) countRefusals(tally, body.errors as { statusCode: number; error: string }[]);
    }
  }
  return true;
}

function countRefusals(tally: Tally, errors: { statusCode: number; error: string }[]): void {
  tally.refused += errors.length;
  for (const { statusCode, error } of errors) countReason(tally, statusCode, error);
}
