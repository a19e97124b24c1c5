import { ProblemError } from '../../../core/problem.ts';
import type { NewEntry } from './ledger-entry.ts';

/** How a player came to be: by add/anon, or by a first wallet login. */
export const playerTypes = { anonymous: 0, wallet: 1 } as const;

/** A wallet-linked player, as far as the ledger knows them. */
export interface WalletPlayer {
  playerIndex: number;
  playerId: string;
  /** With the checksum of EIP-55. */
  address: string;
  playerType: number;
  /** Whether a wallet login has shown that the address is theirs. */
  isVerified: boolean;
  score: bigint;
}

export interface WalletSession {
  sessionId: number;
  playerIndex: number;
  startTime: number;
  endTime: number | null;
}

export interface WalletMatch {
  matchSessionId: number;
  playerIndex: number;
  /** Null until the player's part has ended. */
  playDataId: number | null;
  isEnded: boolean;
}

/** How many of each there are in a tenant: the number that was given last. */
export interface Counts {
  players: number;
  sessions: number;
  matches: number;
  records: number;
  playData: number;
}

/** Who a platform token speaks for. */
export interface Actor {
  playerIndex: number;
  /** Whether the address was shown to be theirs when the token was issued. */
  isVerified: boolean;
}

/** What a command wants to have before it. */
export interface Needs {
  players?: number[];
  playerIds?: string[];
  addresses?: string[];
  sessions?: number[];
  matches?: number[];
}

/**
 * The state of a tenant's ledger, as much of it as a batch of commands needs, under the lock of its head. Commands read it,
 * refuse, or change it; what they changed is written when all of them are through.
 */
export class LedgerState {
  readonly counts: Counts;
  /** The time of the batch. */
  readonly now: string;
  readonly changed = {
    players: new Map<number, WalletPlayer>(),
    sessions: new Map<number, WalletSession>(),
    matches: new Map<number, WalletMatch>(),
    newPasswords: new Map<number, string>(),
    droppedPasswords: new Set<number>(),
  };
  readonly #players = new Map<number, WalletPlayer>();
  readonly #byId = new Map<string, WalletPlayer>();
  readonly #byAddress = new Map<string, WalletPlayer>();
  readonly #sessions: Map<number, WalletSession>;
  readonly #matches: Map<number, WalletMatch>;

  constructor(
    { now, players, sessions, matches, records, playData }: Counts & { now: string },
    loaded: { players: WalletPlayer[]; sessions: WalletSession[]; matches: WalletMatch[] },
  ) {
    this.now = now;
    this.counts = { players, sessions, matches, records, playData };
    for (const player of loaded.players) this.#know(player);
    this.#sessions = new Map(loaded.sessions.map((session) => [session.sessionId, session]));
    this.#matches = new Map(loaded.matches.map((match) => [match.matchSessionId, match]));
  }

  /** The next number of a kind. */
  next(kind: keyof Counts): number {
    return ++this.counts[kind];
  }

  hasPlayer(playerIndex: number): boolean {
    return this.#players.has(playerIndex);
  }

  findPlayerById(playerId: string): WalletPlayer | undefined {
    return this.#byId.get(playerId);
  }

  findPlayerByAddress(address: string): WalletPlayer | undefined {
    return this.#byAddress.get(address);
  }

  /** The player who acts. Throws invalid_bearer for a token that {@link speaksFor} says is void. */
  actor(actor: Actor): WalletPlayer {
    const player = this.#players.get(actor.playerIndex);
    if (!player || !speaksFor(actor, player)) throw new ProblemError('invalid_bearer');
    return player;
  }

  /** A session of the player's own. Throws not_found and forbidden. */
  session(player: WalletPlayer, sessionId: number): WalletSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new ProblemError('not_found', 'The tenant has no such login session.');
    if (session.playerIndex !== player.playerIndex)
      throw new ProblemError('forbidden', 'The login session belongs to another player.');
    return session;
  }

  /** A match of the player's own that has not ended. Throws not_found, forbidden and match_ended. */
  openMatch(player: WalletPlayer, matchSessionId: number): WalletMatch {
    const match = this.#matches.get(matchSessionId);
    if (!match) throw new ProblemError('not_found', 'The tenant has no such match session.');
    if (match.playerIndex !== player.playerIndex)
      throw new ProblemError('forbidden', 'The match session belongs to another player.');
    if (match.isEnded) throw new ProblemError('match_ended');
    return match;
  }

  /** Adds a player, whose name and address must be free, and says what is to be entered for it. */
  addPlayer(given: Omit<WalletPlayer, 'playerIndex' | 'score'>): {
    entry: NewEntry;
    answer: { player: WalletPlayer };
  } {
    const player = { ...given, playerIndex: this.next('players'), score: 0n };
    this.putPlayer(player);
    const { playerIndex, playerId, address, playerType, isVerified: verified } = player;
    const body = { playerId, address, playerType, verified };
    return { entry: { kind: 'player.added', playerIndex, body }, answer: { player } };
  }

  putPlayer(player: WalletPlayer): void {
    this.#know(player);
    this.changed.players.set(player.playerIndex, player);
  }

  putSession(session: WalletSession): void {
    this.#sessions.set(session.sessionId, session);
    this.changed.sessions.set(session.sessionId, session);
  }

  putMatch(match: WalletMatch): void {
    this.#matches.set(match.matchSessionId, match);
    this.changed.matches.set(match.matchSessionId, match);
  }

  setPassword(playerIndex: number, passwordHash: string): void {
    this.changed.newPasswords.set(playerIndex, passwordHash);
  }

  dropPassword(playerIndex: number): void {
    // One that this batch has set is not written at all.
    if (!this.changed.newPasswords.delete(playerIndex)) this.changed.droppedPasswords.add(playerIndex);
  }

  #know(player: WalletPlayer): void {
    this.#players.set(player.playerIndex, player);
    this.#byId.set(player.playerId, player);
    this.#byAddress.set(player.address, player);
  }
}

/**
 * Whether a token speaks for its player still. One that a password gave is void once the owner of the wallet has come: whoever
 * chose the password may be anybody.
 */
export function speaksFor(actor: Actor, player: { isVerified: boolean }): boolean {
  return actor.isVerified || !player.isVerified;
}
