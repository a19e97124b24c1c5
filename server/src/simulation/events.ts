import { randomUUID } from 'node:crypto';
import type { Random } from './random.ts';

/** An event as it is sent. */
export type SimulatedEvent = Record<string, unknown>;

type Kind = readonly [key: string, values: readonly string[], value?: readonly [least: number, most: number]];

/** The kinds of events of a match. */
const MATCH_EVENTS: readonly Kind[] = [
  ['move', ['north', 'south', 'east', 'west'], [1, 12]],
  ['move', ['north', 'south', 'east', 'west'], [1, 12]],
  ['coin', [], [1, 25]],
  ['coin', [], [1, 25]],
  ['hit', ['sword', 'bow', 'spell'], [1, 90]],
  ['item-used', ['potion', 'shield', 'boots']],
  ['checkpoint', ['bridge', 'tower', 'gate']],
  ['knocked-out', ['rival', 'trap', 'fall']],
];

/** The kinds of events between matches. */
const PLAYER_EVENTS: readonly Kind[] = [
  ['shop-opened', []],
  ['purchase', ['hat', 'cape', 'season-pass'], [50, 1500]],
  ['quest-done', ['first-steps', 'collector', 'explorer']],
  ['level-up', [], [2, 60]],
  ['friend-invited', []],
  ['settings-changed', ['sound', 'controls', 'language']],
];

/** The part of events that a game with bugs gets wrong. */
const MISTAKE_SHARE = 0.015;

/** The ids that name the actor of an event. */
export type Actor = { matchSessionId: string; matchPlayerId: string } | { playerId: string };

/** Creates an event of an actor that happens now. A few are wrong, as those of a real game are. */
export function createEvent(random: Random, actor: Actor): SimulatedEvent {
  const [eventKey, values, range] = random.pick('playerId' in actor ? PLAYER_EVENTS : MATCH_EVENTS);
  const event = {
    ...actor,
    eventKey,
    ...(values.length > 0 && { eventValue: random.pick(values) }),
    ...(range && { value: random.integer(...range) }),
    idempotencyKey: randomUUID(),
    occurredAt: new Date().toISOString(),
  };
  return random.chance(MISTAKE_SHARE) ? makeMistake(random, event) : event;
}

const DAY_MS = 24 * 60 * 60_000;

/** A client whose clock is wrong, that sends a fraction, that names another player, or whose key is too long. */
function makeMistake(random: Random, event: SimulatedEvent): SimulatedEvent {
  const actorField = 'playerId' in event ? 'playerId' : 'matchPlayerId';
  return random.pick([
    { ...event, occurredAt: new Date(Date.now() + 3 * DAY_MS).toISOString() },
    { ...event, value: 0.5 },
    { ...event, [actorField]: randomUUID() },
    { ...event, eventKey: `${String(event['eventKey'])}-of-the-north-eastern-continent` },
  ]);
}
