import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_CONNECTIONS, pause, type Answer, type Api } from './api.ts';
import { createEvent } from './events.ts';
import { chooseMode, endMatch, SMALLEST_MATCH, startMatch } from './match.ts';
import {
  actorOf,
  collect,
  createOnlinePlayer,
  sendEvents,
  type Match,
  type OnlinePlayer,
} from './online-player.ts';
import { createPlayers, type PlayerTraits } from './players.ts';
import { createRandom, type Random } from './random.ts';
import { createSignIn, type Session, type SignIn } from './sign-in.ts';
import { raiseSpike, type AlertThresholds } from './spike.ts';
import { countReason, createTally, type Tally } from './tally.ts';

export interface SimulationSettings {
  players: number;
  /** Events a second at the busiest moment. */
  rate: number;
  durationMs: number;
  /** The same seed gives the same players. */
  seed: string;
  /** The time between spikes. Undefined for none. */
  spikeEveryMs: number | undefined;
  thresholds: AlertThresholds;
}

const TICK_MS = 50;
const MAX_SIGN_INS_AT_ONCE = 6;
/** More tasks than connections, so that no connection is idle; few enough that a slow server is not flooded. */
const MAX_TASKS = 4 * MAX_CONNECTIONS;
const WRONG_PASSWORDS = 0.05;
const FINISH_WITHIN_MS = 10_000;

/**
 * Simulates players who sign in, play matches, send events, make mistakes and log out, until the duration has passed or `stop`
 * is aborted. Then it ends all matches and logs all players out. `tally` is updated all the time.
 * Throws {@link SimulationError} if the server refuses the key or does not respond any more.
 */
export async function simulate(
  api: Api,
  settings: SimulationSettings,
  stop: AbortController,
  tally = createTally(),
): Promise<Tally> {
  const world = createWorld(api, settings, stop, tally);
  const started = performance.now();
  const { durationMs, spikeEveryMs } = settings;
  let nextSpikeMs = spikeEveryMs ?? Infinity;
  let before = 0;
  while (!stop.signal.aborted && tally.elapsedMs < durationMs) {
    await pause(TICK_MS, stop.signal);
    const now = Math.min(performance.now() - started, durationMs);
    Object.assign(tally, { elapsedMs: now, requests: api.requests(), isPaused: api.isPaused() });
    tally.intensity = eveningCurve(now / durationMs);
    if (!tally.isPaused) world.advance(now, now - before);
    before = now;
    if (now >= nextSpikeMs && !tally.isSpiking && tally.online > 0) {
      nextSpikeMs = now + spikeEveryMs!;
      world.startSpike();
    }
  }
  stop.abort();
  await world.finish();
  Object.assign(tally, { requests: api.requests(), elapsedMs: performance.now() - started, isPaused: false });
  return tally;
}

/** Traffic over an evening, from 0 to 1: it begins at 0.3, is highest after 70 % of the time, and then falls to 0.5. */
export function eveningCurve(part: number): number {
  return 0.3 + 0.7 * Math.exp(-(((part - 0.7) / 0.28) ** 2));
}

/** The players, who is online, and the matches in progress. */
function createWorld(api: Api, settings: SimulationSettings, stop: AbortController, tally: Tally) {
  const random = createRandom(`guildhall simulation ${settings.seed}`);
  const signIn = createSignIn(api);
  const away = createPlayers(settings.seed, settings.players);
  const online = new Set<OnlinePlayer>();
  const matches = new Set<Match>();
  const tasks = new Set<Promise<void>>();
  let signingIn = 0;
  let due = 0;
  let failure: unknown;

  /** Runs work beside the loop. The first failure ends the simulation. */
  const launch = (work: () => Promise<void>): void => {
    const task = work()
      .catch((error: unknown) => {
        failure ??= error;
        stop.abort();
      })
      .finally(() => tasks.delete(task));
    tasks.add(task);
  };

  const remove = (player: OnlinePlayer): void => {
    if (!online.delete(player)) return;
    tally.online = online.size;
    away.push(player.traits);
  };

  const bringOnline = (now: number): void => {
    const traits = away.splice(random.integer(0, away.length - 1), 1)[0]!;
    signingIn++;
    launch(async () => {
      const session = await signPlayerIn(api, signIn, random, traits, tally).finally(() => signingIn--);
      // A player who is refused (banned, for example) comes back later.
      if (!session) return void away.unshift(traits);
      const stay = settings.durationMs * (0.15 + 0.5 * random.fraction());
      online.add(createOnlinePlayer(traits, session, now + stay));
      tally.online = online.size;
    });
  };

  const logOut = (player: OnlinePlayer): void => {
    player.isBusy = true;
    launch(async () => {
      const { session } = player;
      if (await sendEvents(api, random, player, tally))
        await api.send(
          'POST',
          '/api/player-auth/logout',
          { sessionId: session.sessionId },
          session.accessToken,
        );
      remove(player);
    });
  };

  const flush = (player: OnlinePlayer): void => {
    launch(async () => {
      if (!(await sendEvents(api, random, player, tally))) remove(player);
    });
  };

  const begin = (players: OnlinePlayer[], mode: ReturnType<typeof chooseMode>): void => {
    for (const player of players) player.isBusy = true;
    launch(async () => {
      const match = await startMatch(api, random, mode, players);
      for (const player of players) player.isBusy = false;
      if ('refused' in match) {
        tally.refused++;
        countReason(tally, 410, 'players without a session in a new match');
        for (const player of players) if (match.refused.includes(player.session.playerId)) remove(player);
        return;
      }
      for (const { player } of match.roster) player.match = match;
      matches.add(match);
      tally.matches++;
    });
  };

  const end = (match: Match): void => {
    matches.delete(match);
    for (const { player } of match.roster) player.isBusy = true;
    launch(async () => {
      for (const { player } of match.roster)
        if (!(await sendEvents(api, random, player, tally))) remove(player);
      if (await endMatch(api, random, match)) tally.endedMatches++;
      for (const { player } of match.roster) Object.assign(player, { match: undefined, isBusy: false });
    });
  };

  const advance = (now: number, passedMs: number): void => {
    const wanted = Math.ceil(settings.players * tally.intensity);
    for (let missing = wanted - online.size - signingIn; missing > 0 && away.length > 0; missing--) {
      if (signingIn >= MAX_SIGN_INS_AT_ONCE) break;
      bringOnline(now);
    }
    const idle = [...online].filter((player) => !player.match && !player.isBusy);
    for (const player of idle.filter(({ leavesAt }) => now >= leavesAt))
      if (tasks.size < MAX_TASKS) logOut(player);

    // A third of the idle players stays in the menu.
    let waiting = idle.filter(({ isBusy }) => !isBusy).slice(Math.floor(online.size / 3 / SMALLEST_MATCH));
    while (waiting.length >= SMALLEST_MATCH && tasks.size < MAX_TASKS) {
      const mode = chooseMode(random, waiting.length);
      begin(waiting.slice(0, mode.size), mode);
      waiting = waiting.slice(mode.size);
    }

    due += (settings.rate * tally.intensity * passedMs) / 1000;
    const actors = [...online].filter(({ isBusy }) => !isBusy);
    // If the server is slower than the rate, events are left out, so that they do not pile up.
    if (actors.length === 0 || tasks.size >= MAX_TASKS) due = Math.min(due, 1);
    for (; due >= 1 && actors.length > 0; due--) {
      const player = random.pick(actors);
      collect(player, createEvent(random, actorOf(player)), now);
      if (player.match) player.match.eventsLeft--;
    }
    for (const match of matches) if (match.eventsLeft <= 0) end(match);
    for (const player of online)
      if (now >= player.sendsAt && !player.isBusy && tasks.size < MAX_TASKS) flush(player);
  };

  const finish = async (): Promise<void> => {
    const late = sleep(FINISH_WITHIN_MS, 'late', { ref: false });
    const drain = async (): Promise<void> => {
      while (tasks.size > 0) await Promise.all(tasks);
    };
    const close = async (): Promise<void> => {
      await drain();
      for (const match of matches) {
        if (failure) return;
        end(match);
        if (tasks.size >= MAX_TASKS) await Promise.race(tasks);
      }
      await drain();
      for (const player of online) {
        if (failure) return;
        logOut(player);
        if (tasks.size >= MAX_TASKS) await Promise.race(tasks);
      }
      await drain();
    };
    await Promise.race([close(), late]);
    if (failure) throw failure;
  };

  const startSpike = (): void => {
    tally.isSpiking = true;
    tally.spikes++;
    launch(async () => {
      await raiseSpike(api, [...online][0]!, settings.thresholds, stop.signal);
      tally.isSpiking = false;
    });
  };

  return { advance, finish, startSpike };
}

/** Signs a player in. Some players mistype their password first. Returns undefined if the server refuses the player. */
async function signPlayerIn(
  api: Api,
  signIn: SignIn,
  random: Random,
  traits: PlayerTraits,
  tally: Tally,
): Promise<Session | undefined> {
  const isKnown = tally.players.has(traits.username);
  const countRefusal = (answer: Answer): void => {
    tally.refusedSignIns++;
    countReason(tally, answer.status, `at sign-in: ${answer.body?.code}`);
  };
  // The first sign-in of a Mock player sets the password.
  if (isKnown && traits.provider === 'Mock' && random.chance(WRONG_PASSWORDS)) {
    const answer = await signIn(traits, { wrongPassword: true });
    if ('status' in answer) countRefusal(answer);
  }
  const session = await signIn(traits);
  if ('status' in session) {
    countRefusal(session);
    return undefined;
  }
  tally.signIns++;
  tally.players.add(traits.username);
  if (session.isNewPlayer) {
    tally.newPlayers++;
    await api.send(
      'PATCH',
      '/api/player-profile/me',
      { displayName: traits.displayName },
      session.accessToken,
    );
  }
  return session;
}
