import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_CONNECTIONS, type Answer, type Api } from './api.ts';
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
import { countReason, type Tally } from './tally.ts';

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

const MAX_SIGN_INS_AT_ONCE = 6;
/** More tasks than connections, so that no connection is idle; few enough that a slow server is not flooded. */
const MAX_TASKS = 4 * MAX_CONNECTIONS;
const WRONG_PASSWORDS = 0.05;
const FINISH_WITHIN_MS = 10_000;

/** The players, who is online, and the matches in progress. All times are in milliseconds of the simulation. */
export class World {
  readonly #api: Api;
  readonly #settings: SimulationSettings;
  readonly #stop: AbortController;
  readonly #tally: Tally;
  readonly #random: Random;
  readonly #signIn: SignIn;
  readonly #away: PlayerTraits[];
  readonly #online = new Set<OnlinePlayer>();
  readonly #matches = new Set<Match>();
  readonly #tasks = new Set<Promise<void>>();
  #signingIn = 0;
  /** How many events are due. */
  #due = 0;
  #failure: unknown;

  constructor(api: Api, settings: SimulationSettings, stop: AbortController, tally: Tally) {
    this.#api = api;
    this.#settings = settings;
    this.#stop = stop;
    this.#tally = tally;
    this.#random = createRandom(`guildhall simulation ${settings.seed}`);
    this.#signIn = createSignIn(api);
    this.#away = createPlayers(settings.seed, settings.players);
  }

  /** Starts what is due now. */
  advance(now: number, passedMs: number): void {
    this.#bringPlayersOnline(now);
    const idle = [...this.#online].filter((player) => !player.match && !player.isBusy);
    for (const player of idle) if (now >= player.leavesAt && this.#hasRoom()) this.#logOut(player);
    this.#beginMatches(idle.filter(({ isBusy }) => !isBusy));
    this.#createEvents(now, passedMs);
    for (const match of this.#matches) if (match.eventsLeft <= 0) this.#end(match);
    for (const player of this.#online)
      if (now >= player.sendsAt && !player.isBusy && this.#hasRoom()) this.#flush(player);
  }

  startSpike(): void {
    const [player] = this.#online;
    if (!player) return;
    this.#tally.isSpiking = true;
    this.#tally.spikes++;
    this.#launch(async () => {
      await raiseSpike(this.#api, player, this.#settings.thresholds, this.#stop.signal);
      this.#tally.isSpiking = false;
    });
  }

  /** Ends all matches and logs all players out. Throws the failure that ended the simulation. */
  async finish(): Promise<void> {
    await Promise.race([this.#endAll(), sleep(FINISH_WITHIN_MS, undefined, { ref: false })]);
    if (this.#failure) throw this.#failure;
  }

  async #endAll(): Promise<void> {
    await this.#drain();
    for (const match of this.#matches) {
      if (this.#failure) return;
      this.#end(match);
      if (!this.#hasRoom()) await Promise.race(this.#tasks);
    }
    await this.#drain();
    for (const player of this.#online) {
      if (this.#failure) return;
      this.#logOut(player);
      if (!this.#hasRoom()) await Promise.race(this.#tasks);
    }
    await this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  #hasRoom(): boolean {
    return this.#tasks.size < MAX_TASKS;
  }

  /** Runs work beside the loop. The first failure ends the simulation. */
  #launch(work: () => Promise<void>): void {
    const task = work()
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.#stop.abort();
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  #bringPlayersOnline(now: number): void {
    const wanted = Math.ceil(this.#settings.players * this.#tally.intensity);
    for (let missing = wanted - this.#online.size - this.#signingIn; missing > 0; missing--) {
      if (this.#away.length === 0 || this.#signingIn >= MAX_SIGN_INS_AT_ONCE) return;
      const [traits] = this.#away.splice(this.#random.integer(0, this.#away.length - 1), 1);
      if (traits) this.#bringOnline(traits, now);
    }
  }

  #bringOnline(traits: PlayerTraits, now: number): void {
    this.#signingIn++;
    this.#launch(async () => {
      const session = await this.#signPlayerIn(traits).finally(() => this.#signingIn--);
      // A player who is refused (banned, for example) comes back later.
      if (!session) return void this.#away.unshift(traits);
      const stay = this.#settings.durationMs * (0.15 + 0.5 * this.#random.fraction());
      this.#online.add(createOnlinePlayer(traits, session, now + stay));
      this.#tally.online = this.#online.size;
    });
  }

  /** Signs a player in. Some players mistype their password first. Returns undefined if the server refuses the player. */
  async #signPlayerIn(traits: PlayerTraits): Promise<Session | undefined> {
    const tally = this.#tally;
    const countRefusal = (answer: Answer): void => {
      tally.refusedSignIns++;
      countReason(tally, answer.status, `at sign-in: ${answer.body?.code}`);
    };
    // The first sign-in of a Mock player sets the password.
    const isKnown = tally.players.has(traits.username);
    if (isKnown && traits.provider === 'Mock' && this.#random.chance(WRONG_PASSWORDS)) {
      const answer = await this.#signIn(traits, { wrongPassword: true });
      if ('status' in answer) countRefusal(answer);
    }
    const session = await this.#signIn(traits);
    if ('status' in session) {
      countRefusal(session);
      return undefined;
    }
    tally.signIns++;
    tally.players.add(traits.username);
    if (session.isNewPlayer) {
      tally.newPlayers++;
      const { displayName } = traits;
      await this.#api.send('PATCH', '/api/player-profile/me', { displayName }, session.accessToken);
    }
    return session;
  }

  #logOut(player: OnlinePlayer): void {
    player.isBusy = true;
    this.#launch(async () => {
      const { sessionId, accessToken } = player.session;
      if (await this.#send(player))
        await this.#api.send('POST', '/api/player-auth/logout', { sessionId }, accessToken);
      this.#remove(player);
    });
  }

  #remove(player: OnlinePlayer): void {
    if (!this.#online.delete(player)) return;
    this.#tally.online = this.#online.size;
    this.#away.push(player.traits);
  }

  #beginMatches(idle: OnlinePlayer[]): void {
    // A third of the idle players stays in the menu.
    let waiting = idle.slice(Math.floor(this.#online.size / 3 / SMALLEST_MATCH));
    while (waiting.length >= SMALLEST_MATCH && this.#hasRoom()) {
      const mode = chooseMode(this.#random, waiting.length);
      this.#begin(waiting.slice(0, mode.size), mode);
      waiting = waiting.slice(mode.size);
    }
  }

  #begin(players: OnlinePlayer[], mode: ReturnType<typeof chooseMode>): void {
    for (const player of players) player.isBusy = true;
    this.#launch(async () => {
      const match = await startMatch(this.#api, this.#random, mode, players);
      for (const player of players) player.isBusy = false;
      if ('refused' in match) {
        this.#tally.refused++;
        countReason(this.#tally, 410, 'players without a session in a new match');
        for (const player of players)
          if (match.refused.includes(player.session.playerId)) this.#remove(player);
        return;
      }
      for (const { player } of match.roster) player.match = match;
      this.#matches.add(match);
      this.#tally.matches++;
    });
  }

  #end(match: Match): void {
    this.#matches.delete(match);
    for (const { player } of match.roster) player.isBusy = true;
    this.#launch(async () => {
      for (const { player } of match.roster) if (!(await this.#send(player))) this.#remove(player);
      if (await endMatch(this.#api, this.#random, match)) this.#tally.endedMatches++;
      for (const { player } of match.roster) Object.assign(player, { match: undefined, isBusy: false });
    });
  }

  #createEvents(now: number, passedMs: number): void {
    this.#due += (this.#settings.rate * this.#tally.intensity * passedMs) / 1000;
    const actors = [...this.#online].filter(({ isBusy }) => !isBusy);
    // If the server is slower than the rate, events are left out, so that they do not pile up.
    if (actors.length === 0 || !this.#hasRoom()) this.#due = Math.min(this.#due, 1);
    for (; this.#due >= 1 && actors.length > 0; this.#due--) {
      const player = this.#random.pick(actors);
      collect(player, createEvent(this.#random, actorOf(player)), now);
      if (player.match) player.match.eventsLeft--;
    }
  }

  #flush(player: OnlinePlayer): void {
    this.#launch(async () => {
      if (!(await this.#send(player))) this.#remove(player);
    });
  }

  #send(player: OnlinePlayer): Promise<boolean> {
    return sendEvents(this.#api, this.#random, player, this.#tally);
  }
}
