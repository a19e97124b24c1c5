import { createHash } from 'node:crypto';
import { parseCsv } from './parse-csv.ts';
import { parsePgn, type PgnGame } from './parse-pgn.ts';

export type Side = 'white' | 'black';

export interface Move {
  /** Its place in the game, from 1: a half-move. */
  number: number;
  side: Side;
  /** As the file writes it. */
  notation: string;
}

/** A game, whatever file it came from. */
export interface Game {
  /** Tells it from every other game, and is the same whenever the file is read again. */
  id: string;
  players: Record<Side, string>;
  startedAt: Date;
  result: '1-0' | '0-1' | '1/2-1/2' | '*';
  moves: Move[];
  /** What the match remembers of it: event, opening and the like. */
  tags: Record<string, string>;
}

/** Reads the games of a CSV or PGN file. A game that stands in it twice is one game. Throws a SyntaxError. */
export function readGames(fileName: string, text: string): Game[] {
  const records = /\.csv$/i.test(fileName) ? fromCsv(text) : parsePgn(text);
  const games = new Map<string, Game>();
  for (const record of records) {
    const game = toGame(record);
    games.set(game.id, game);
  }
  return [...games.values()];
}

/** A row of the CSV that Lichess exports is the tags of a PGN game, with its moves in one more column. */
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
    // Short enough to be, with the number of a move, an idempotency key.
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

/** An id for a game whose file gives none. */
function digest(tags: Record<string, string>, moves: string[]): string {
  const parts = [tags['White'], tags['Black'], tags['Date'], tags['Round'], ...moves];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}

/** PGN writes "?" for somebody unknown; a match needs two players who differ, and Mock a name without a colon. */
function playersOf(tags: Record<string, string>): Record<Side, string> {
  const nameOf = (tag: string): string => {
    const name = (tags[tag] ?? '').replaceAll(':', ' ').trim();
    return name === '' || name === '?' ? `Unknown ${tag}` : Array.from(name).slice(0, 48).join('').trim();
  };
  const white = nameOf('White');
  const black = nameOf('Black');
  return { white, black: white === black ? `${black} (Black)` : black };
}

/** PGN writes "??" for the parts of a date that nobody knows: those count as the first. */
function startOf(tags: Record<string, string>): Date {
  const date = (tags['UTCDate'] ?? tags['Date'] ?? '').replaceAll('.??', '.01').replaceAll('.', '-');
  const time = tags['UTCTime'] ?? tags['Time'] ?? '00:00:00';
  for (const text of [`${date}T${time}Z`, `${date}T00:00:00Z`]) {
    const instant = new Date(text);
    if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(instant.getTime())) return instant;
  }
  return new Date(0);
}
