import { createHash } from 'node:crypto';
import { parseCsv } from './parse-csv.ts';
import { parsePgn, type PgnGame } from './parse-pgn.ts';

export type Side = 'white' | 'black';

export interface Move {
  /** The number of the half-move, from 1. */
  number: number;
  side: Side;
  /** The notation of the file. */
  notation: string;
}

/** A game from a CSV or PGN file. */
export interface Game {
  /** Unique, and the same each time the file is read. */
  id: string;
  players: Record<Side, string>;
  startedAt: Date;
  result: '1-0' | '0-1' | '1/2-1/2' | '*';
  moves: Move[];
  /** Tags for the metadata of the match, such as event and opening. */
  tags: Record<string, string>;
}

/** Reads the games of a CSV or PGN file. A duplicate game counts once. Throws a SyntaxError. */
export function readGames(fileName: string, text: string): Game[] {
  const records = /\.csv$/i.test(fileName) ? fromCsv(text) : parsePgn(text);
  const games = new Map<string, Game>();
  for (const record of records) {
    const game = toGame(record);
    games.set(game.id, game);
  }
  return [...games.values()];
}

/** A row of the Lichess CSV contains the tags of a PGN game, and its moves in the column "Moves". */
function fromCsv(text: string): PgnGame[] {
  return parseCsv(text).map(({ Moves, ...tags }) => {
    if (Moves === undefined) throw new SyntaxError('The CSV has no column "Moves".');
    const [game] = parsePgn(Moves);
    return { moves: [], blackBegins: false, result: undefined, ...game, tags };
  });
}

const RESULTS = ['1-0', '0-1', '1/2-1/2', '*'] as const;

function toGame({ tags, moves, blackBegins, result }: PgnGame): Game {
  const second: Side = blackBegins || / b /.test(tags['FEN'] ?? '') ? 'white' : 'black';
  const first: Side = second === 'white' ? 'black' : 'white';
  const given = tags['GameId'] ?? '';
  return {
    // Short enough for an idempotency key together with the number of a move.
    id: given === '' || given.length > 48 ? digest(tags, moves) : given,
    players: playersOf(tags),
    startedAt: startOf(tags),
    result: RESULTS.find((one) => one === tags['Result']) ?? RESULTS.find((one) => one === result) ?? '*',
    moves: moves.map((notation, index) => ({
      number: index + 1,
      side: index % 2 === 0 ? first : second,
      notation,
    })),
    tags,
  };
}

/** The id of a game without a usable `GameId`. */
function digest(tags: Record<string, string>, moves: string[]): string {
  const parts = [tags['White'], tags['Black'], tags['Date'], tags['Round'], ...moves];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}

/** PGN writes "?" for an unknown player. A match needs two different players, and Mock needs a name without a colon. */
function playersOf(tags: Record<string, string>): Record<Side, string> {
  const nameOf = (tag: string): string => {
    const name = (tags[tag] ?? '').replaceAll(':', ' ').trim();
    return name === '' || name === '?' ? `Unknown ${tag}` : Array.from(name).slice(0, 48).join('').trim();
  };
  const white = nameOf('White');
  const black = nameOf('Black');
  return { white, black: white === black ? `${black} (Black)` : black };
}

/** PGN writes "??" for unknown parts of a date. An unknown month or day counts as 1. */
function startOf(tags: Record<string, string>): Date {
  const date = (tags['UTCDate'] ?? tags['Date'] ?? '').replaceAll('.??', '.01').replaceAll('.', '-');
  const time = tags['UTCTime'] ?? tags['Time'] ?? '00:00:00';
  for (const text of [`${date}T${time}Z`, `${date}T00:00:00Z`]) {
    const instant = new Date(text);
    if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(instant.getTime())) return instant;
  }
  return new Date(0);
}
