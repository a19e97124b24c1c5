import { ProblemError } from '../../../core/problem.ts';
import type { NewEntry } from './ledger-entry.ts';

/** How a player was added: by add/anon, or by a first wallet login. */
export const playerTypes = { anonymous: 0, wallet: 1 } as const;

/** A wallet-linked player in the ledger. */
export interface WalletPlayer {
  playerIndex: number;
  playerId: string;
  /** With the checksum of EIP-55. */
  address: string;
  playerType: number;
  /** Whether a wallet login has proved the address. */
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

/** The last number assigned in a tenant, for each kind of record. */
export interface Counts {
  players: number;
  sessions: number;
  matches: number;
  records: number;
  playData: number;
}

/** The player of a platform token. */
export interface Actor {
  playerIndex: number;
  playerId: string;
  /** Whether the address was proved when the token was issued. */
  isVerified: boolean;
}

/**
 * The part of a tenant's ledger state that a batch of commands needs, loaded under the lock of the head. Commands read and change
 * it. The changes are written after the last command.
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

  /** Assigns the next number of a kind. */
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

  /** The player of the token. Throws invalid_bearer if the token is not valid for the player ({@link isValidFor}). */
  actor(actor: Actor): WalletPlayer {
    const player = this.#players.get(actor.playerIndex);
    if (!player || !isValidFor(actor, player)) throw new ProblemError('invalid_bearer');
    return player;
  }

  /** The player's own session. Throws not_found and forbidden. */
  session(player: WalletPlayer, sessionId: number): WalletSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new ProblemError('not_found', 'The tenant has no such login session.');
    if (session.playerIndex !== player.playerIndex)
      throw new ProblemError('forbidden', 'The login session belongs to another player.');
    return session;
  }

  /** The player's own open match. Throws not_found, forbidden and match_ended. */
  openMatch(player: WalletPlayer, matchSessionId: number): WalletMatch {
    const match = this.#matches.get(matchSessionId);
    if (!match) throw new ProblemError('not_found', 'The tenant has no such match session.');
    if (match.playerIndex !== player.playerIndex)
      throw new ProblemError('forbidden', 'The match session belongs to another player.');
    if (match.isEnded) throw new ProblemError('match_ended');
    return match;
  }

  /** The player's own open match in which the player still has a part. Throws not_found, forbidden and match_ended. */
  openPart(player: WalletPlayer, matchSessionId: number): WalletMatch {
    const match = this.openMatch(player, matchSessionId);
    if (match.playDataId !== null)
      throw new ProblemError('match_ended', 'The part of the player in the match has ended.');
    return match;
  }

  /** Adds a player and returns the entry for it. The caller has checked that playerId and address are free. */
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
    // A password that was set in this batch was never written.
    if (!this.changed.newPasswords.delete(playerIndex)) this.changed.droppedPasswords.add(playerIndex);
  }

  #know(player: WalletPlayer): void {
    this.#players.set(player.playerIndex, player);
    this.#byId.set(player.playerId, player);
    this.#byAddress.set(player.address, player);
  }
}

/**
 * Whether a token is still valid for the player of its index. After a restore, the index of a lost player belongs to the next new
 * one. The first wallet login of the address invalidates the tokens of the password, because anybody may have chosen the password.
 */
export function isValidFor(actor: Actor, player: Pick<WalletPlayer, 'playerId' | 'isVerified'>): boolean {
  return actor.playerId === player.playerId && (actor.isVerified || !player.isVerified);
}
