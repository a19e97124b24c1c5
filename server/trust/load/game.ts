import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent } from '../../src/simulation/events.ts';
import { chooseMode, endMatch, startMatch } from '../../src/simulation/match.ts';
import {
  actorOf,
  collect,
  createOnlinePlayer,
  sendEvents,
  type Match,
  type OnlinePlayer,
} from '../../src/simulation/online-player.ts';
import { createPlayer, type PlayerTraits } from '../../src/simulation/players.ts';
import type { Random } from '../../src/simulation/random.ts';
import { createSignIn } from '../../src/simulation/sign-in.ts';
import { createTally, type Tally } from '../../src/simulation/tally.ts';
import type { StrictApi } from './strict-api.ts';

/**
 * What players do, as a part of all that they do. A player sends events every few seconds, and signs in, refreshes or plays a match
 * every few minutes. The rarer kinds are more frequent here than in a game, so that each has thousands of samples.
 */
const MIX = { events: 0.5, lookUp: 0.14, refresh: 0.12, signIn: 0.1, match: 0.14 } as const;
export type Kind = keyof typeof MIX;

const LARGEST_MATCH = 4;
const MAX_EVENTS = 20;
const NEW_PLAYERS = 0.1;

/** The players of one game. They are those of `guildhall simulate`. */
export interface Game {
  /** Signs all players in. */
  begin(): Promise<void>;
  /** Does one thing that a player does: most need one request, a new match or the change of a player up to four. */
  play(): Promise<Kind>;
  tally: Tally;
}

/** Creates the players of a seed, of whom `size` are online. */
export function createGame(api: StrictApi, random: Random, seed: string, size: number): Game {
  const tally = createTally();
  const signIn = createSignIn(api);
  const away: PlayerTraits[] = [];
  const online: OnlinePlayer[] = [];
  const matches: Match[] = [];
  let created = 0;
  /** Players of matches that are being created. */
  let starting = 0;

  const newPlayer = (): PlayerTraits => createPlayer(seed, created++);

  const bringOnline = async (traits: PlayerTraits): Promise<void> => {
    const session = await signIn(traits);
    // The API has noted the refusal.
    if ('status' in session) return;
    tally.signIns++;
    online.push(createOnlinePlayer(traits, session, Infinity));
  };

  /** Finds players who wait for no answer, from a random place on: `count` of them, or fewer. */
  const findIdle = (count: number, isWanted: (player: OnlinePlayer) => boolean): OnlinePlayer[] => {
    const from = random.integer(0, online.length - 1);
    const found: OnlinePlayer[] = [];
    for (let step = 0; step < online.length && found.length < count; step++) {
      const player = online[(from + step) % online.length]!;
      if (!player.isBusy && isWanted(player)) found.push(player);
    }
    return found;
  };

  /** Makes such a player busy. If a stall of the server keeps all of them busy, it waits. The wait is a part of the latency. */
  const takeIdle = async (
    isWanted: (player: OnlinePlayer) => boolean = () => true,
  ): Promise<OnlinePlayer> => {
    for (;;) {
      const [player] = findIdle(1, isWanted);
      if (player) {
        player.isBusy = true;
        return player;
      }
      await sleep(1);
    }
  };

  const actions: Record<Kind, () => Promise<void>> = {
    async events() {
      const player = await takeIdle();
      for (let left = random.integer(1, MAX_EVENTS); left > 0; left--) {
        collect(player, createEvent(random, actorOf(player)), 0);
        if (player.match) player.match.eventsLeft--;
      }
      await sendEvents(api, random, player, tally);
      player.isBusy = false;
    },
    async lookUp() {
      await api.send('GET', `/api/player-profiles/${random.pick(online).session.playerId}`);
    },
    async refresh() {
      const player = await takeIdle();
      const { refreshToken } = player.session;
      const { status, body } = await api.send('POST', '/api/player-auth/refresh', { refreshToken });
      if (status === 200) Object.assign(player.session, body);
      player.isBusy = false;
    },
    async signIn() {
      const leaving = await takeIdle(({ match }) => !match);
      const { accessToken, sessionId } = leaving.session;
      online.splice(online.indexOf(leaving), 1);
      await api.send('POST', '/api/player-auth/logout', { sessionId }, accessToken);
      away.push(leaving.traits);
      await bringOnline(random.chance(NEW_PLAYERS) ? newPlayer() : away.shift()!);
    },
    async match() {
      const mode = chooseMode(random, LARGEST_MATCH);
      for (;;) {
        // The oldest match ends when its events are played, or if half of the players are in a match.
        const inMatches = online.reduce((sum, { match }) => sum + (match ? 1 : 0), starting);
        const areManyInMatches = inMatches > online.length / 2;
        const over = matches.findIndex(
          ({ eventsLeft, roster }) =>
            (eventsLeft <= 0 || areManyInMatches) && roster.every(({ player }) => !player.isBusy),
        );
        if (over >= 0) return end(matches.splice(over, 1)[0]!);
        if (areManyInMatches) return actions.lookUp();
        // All at once: two matches that each waited with a part of their players would wait for ever.
        const players = findIdle(mode.size, ({ match }) => !match);
        if (players.length === mode.size) return start(mode, players);
        await sleep(1);
      }
    },
  };

  const start = async (mode: ReturnType<typeof chooseMode>, players: OnlinePlayer[]): Promise<void> => {
    for (const player of players) player.isBusy = true;
    starting += players.length;
    const match = await startMatch(api, random, mode, players);
    starting -= players.length;
    for (const player of players) player.isBusy = false;
    // The API has noted the refusal.
    if ('refused' in match) return;
    for (const player of players) player.match = match;
    matches.push(match);
    tally.matches++;
  };

  const end = async (match: Match): Promise<void> => {
    const players = match.roster.map(({ player }) => player);
    for (const player of players) player.isBusy = true;
    if (await endMatch(api, random, match)) tally.endedMatches++;
    for (const player of players) Object.assign(player, { match: undefined, isBusy: false });
  };

  const chooseKind = (): Kind => {
    let rest = random.fraction();
    for (const [kind, share] of Object.entries(MIX) as [Kind, number][]) if ((rest -= share) < 0) return kind;
    return 'events';
  };

  return {
    tally,
    async begin() {
      // As many as the server batches. More would only wait.
      const lanes = Array.from({ length: 16 }, async () => {
        while (created < size) await bringOnline(newPlayer());
      });
      await Promise.all(lanes);
      // The first who come back.
      away.push(newPlayer(), newPlayer());
    },
    async play() {
      const kind = chooseKind();
      await actions[kind]();
      return kind;
    },
  };
}
