import type { ServerClient } from '@guildhall/client/server';
import type { MatchJournal, ReplayedMatch } from './match-journal.ts';
import type { Game, Side } from './read-games.ts';

/** The progress of a replay. */
export interface Tally {
  games: number;
  players: Set<string>;
  matches: Set<string>;
  newPlayers: number;
  newMatches: number;
  /** Events that this run stored. */
  accepted: number;
  /** Events that an earlier run had stored. */
  duplicates: number;
  refused: number;
  /** Error messages, and how often each occurred. */
  problems: Map<string, number>;
}

/** A player's sign-in. */
interface Session {
  playerId: string;
  accessToken: string;
}

export interface ReplayOptions {
  client: ServerClient;
  /** Opens the journal of a tenant. The tenant is known after the first sign-in. */
  journalOf(tenantId: string): Promise<MatchJournal>;
  /** How many games are replayed at once. */
  parallel: number;
  /** Ends the replay after the games that are being replayed. */
  stop: AbortSignal;
  onProgress(tally: Tally): void;
}

const SIDES = ['white', 'black'] as const;

/** Shorter than the two hours for which a session can start a match and its access token is valid. */
const SESSION_LASTS_MS = 60 * 60_000;

/** Replays games. Each game becomes a match with two players, and each move an event of its player. */
export async function replayGames(games: Game[], options: ReplayOptions): Promise<Tally> {
  const { client } = options;
  const tally: Tally = {
    games: 0,
    players: new Set(),
    matches: new Set(),
    newPlayers: 0,
    newMatches: 0,
    accepted: 0,
    duplicates: 0,
    refused: 0,
    problems: new Map(),
  };
  const note = (problem: string): void =>
    void tally.problems.set(problem, (tally.problems.get(problem) ?? 0) + 1);

  const sessions = new Map<string, { session: Promise<Session>; signedInAt: number }>();
  let journal: Promise<MatchJournal> | undefined;

  const signIn = async (name: string): Promise<Session> => {
    const token = `mock:${name}:chess-replay`;
    const login = await client.signIn({ provider: 'Mock', token });
    journal ??= options.journalOf(login.tenantId);
    // Each game reports the failure. Until the first one waits for the journal, nothing else handles it.
    journal.catch(() => {});
    if (login.isNewPlayer) tally.newPlayers++;
    tally.players.add(login.playerId);
    return { playerId: login.playerId, accessToken: login.accessToken };
  };

  /** Signs a player in once, even if several of their games are replayed in parallel. */
  const sessionOf = (name: string): Promise<Session> => {
    const known = sessions.get(name);
    if (known && Date.now() - known.signedInAt < SESSION_LASTS_MS) return known.session;
    const session = signIn(name);
    // Before any wait, so that a game that begins in the meantime uses the same sign-in.
    sessions.set(name, { session, signedInAt: Date.now() });
    // After a failure, the player's next game tries again.
    session.catch(() => sessions.delete(name));
    return session;
  };

  const matchOf = async (game: Game, players: Record<Side, Session>): Promise<ReplayedMatch> => {
    const known = (await journal!).find(game.id);
    if (known) return known;
    const created = await client.matches.create({
      players: SIDES.map((side) => ({ playerId: players[side].playerId })),
      mode: (game.tags['Variant'] || 'chess').slice(0, 64),
      metadata: { gameId: game.id, ...game.tags },
    });
    const entryOf = (side: Side): string =>
      created.players.find((one) => one.playerId === players[side].playerId)!.matchPlayerId;
    const match = {
      gameId: game.id,
      matchSessionId: created.matchSessionId,
      matchPlayerIds: { white: entryOf('white'), black: entryOf('black') },
    };
    await (await journal!).add(match);
    tally.newMatches++;
    return match;
  };

  const sendMoves = async (game: Game, side: Side, match: ReplayedMatch, session: Session): Promise<void> => {
    const events = game.moves
      .filter((move) => move.side === side)
      .map((move) => ({
        matchSessionId: match.matchSessionId,
        matchPlayerId: match.matchPlayerIds[side],
        eventKey: 'move',
        eventValue: move.notation,
        value: move.number,
        idempotencyKey: `${game.id}:${move.number}`,
        // Guildhall refuses events from before 1970.
        occurredAt: new Date(Math.max(game.startedAt.getTime(), 0) + move.number * 1000).toISOString(),
      }));
    const { stored, duplicates, refused } = await client.sendMatchEvents(session.accessToken, events);
    tally.accepted += stored;
    tally.duplicates += duplicates;
    tally.refused += refused.length;
    for (const { refusal } of refused) note(`${refusal.statusCode}: ${refusal.error}`);
  };

  const replay = async (game: Game): Promise<void> => {
    const [white, black] = await Promise.all([sessionOf(game.players.white), sessionOf(game.players.black)]);
    const players = { white, black };
    const match = await matchOf(game, players);
    tally.matches.add(match.matchSessionId);
    await Promise.all(SIDES.map((side) => sendMoves(game, side, match, players[side])));
    await client.matches.recordResults(match.matchSessionId, resultsOf(game, match));
    await client.matches.end(match.matchSessionId);
  };

  // All workers share one queue.
  const queue = games.values();
  const work = async (): Promise<void> => {
    for (const game of queue) {
      await replay(game).catch((error: Error) => note(`game ${game.id}: ${error.message}`));
      tally.games++;
      options.onProgress(tally);
      if (options.stop.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  await (await journal?.catch(() => undefined))?.close();
  return tally;
}

const OUTCOMES = {
  '1-0': { white: { placement: 1, outcome: 'win' }, black: { placement: 2, outcome: 'loss' } },
  '0-1': { white: { placement: 2, outcome: 'loss' }, black: { placement: 1, outcome: 'win' } },
  '1/2-1/2': { white: { placement: 1, outcome: 'draw' }, black: { placement: 1, outcome: 'draw' } },
  '*': { white: { outcome: 'unfinished' }, black: { outcome: 'unfinished' } },
};

function resultsOf({ result }: Game, { matchPlayerIds }: ReplayedMatch) {
  return SIDES.map((side) => ({ matchPlayerId: matchPlayerIds[side], ...OUTCOMES[result][side] }));
}
