import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createServerClient, GuildhallError, type ServerClient } from '@guildhall/client/server';
import { openJournal } from './match-journal.ts';
import { readGames, type Game } from './read-games.ts';
import { replayGames, type Tally } from './replay-games.ts';

const USAGE = `Replays chess games in a Guildhall tenant. Each game becomes a match, and each move an event.

node examples/chess-replay/replay.ts [file] --game-key gh_game_… [options]

  file             a CSV file from Lichess, or a PGN file (default: famous-games.pgn in the folder of this program)
  --game-key KEY   the tenant's game key (or GUILDHALL_GAME_KEY)
  --url URL        the base URL of Guildhall (default: GUILDHALL_URL, or http://127.0.0.1:8080)
  --state FOLDER   the folder for the record of replayed matches (default: .chess-replay beside the file)
  --parallel N     how many games to replay at once (default: 8)
`;

/** Thrown for invalid arguments. The program prints its message without a stack. */
class UsageError extends Error {}

interface Options {
  file: string;
  gameKey: string;
  url: string;
  state: string;
  parallel: number;
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'game-key': { type: 'string', default: process.env['GUILDHALL_GAME_KEY'] ?? '' },
      url: { type: 'string', default: process.env['GUILDHALL_URL'] ?? 'http://127.0.0.1:8080' },
      state: { type: 'string' },
      parallel: { type: 'string', default: '8' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  // The placeholder of the README is no key: `gh_game_…`. An API key is none either.
  if (!/^gh_game_\w+$/.test(values['game-key']))
    throw new UsageError('Set a game key (gh_game_) with --game-key or GUILDHALL_GAME_KEY.');
  if (!/^https?:/.test(values.url) || !URL.canParse(values.url))
    throw new UsageError(`--url: "${values.url}" is not an http URL.`);
  const parallel = Number(values.parallel);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 64)
    throw new UsageError('--parallel takes a number from 1 to 64.');
  if (positionals.length > 1) throw new UsageError('Name at most one file.');

  const file = resolve(positionals[0] ?? fileURLToPath(new URL('famous-games.pgn', import.meta.url)));
  return {
    file,
    gameKey: values['game-key'],
    url: values.url.replace(/\/+$/, ''),
    state: resolve(values.state ?? join(dirname(file), '.chess-replay')),
    parallel,
  };
}

async function load(file: string): Promise<Game[]> {
  try {
    return readGames(file, await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Prints the progress: one line that is updated on a terminal, or a new line after each tenth in a log. */
function progress(total: number): (tally: Tally) => void {
  const { isTTY } = process.stderr;
  let shown = 0;
  return ({ games, accepted, duplicates }) => {
    const due = isTTY ? performance.now() - shown > 100 : games >= shown + total / 10;
    if (!due && games < total) return;
    shown = isTTY ? performance.now() : games;
    const line = `${games} of ${total} games, ${show(accepted + duplicates)} moves`;
    process.stderr.write(isTTY ? `\r${line}${games === total ? '\n' : ''}` : `${line}\n`);
  };
}

/** Compares the numbers in the file with those that Guildhall has stored. Returns whether they are equal. */
function report(games: Game[], tally: Tally, seconds: number): boolean {
  const inFile = {
    players: new Set(games.flatMap(({ players }) => [players.white, players.black])).size,
    matches: games.length,
    moves: games.reduce((sum, { moves }) => sum + moves.length, 0),
  };
  const moves = tally.accepted + tally.duplicates;
  const rate = Math.round((moves + tally.refused) / seconds);
  const rows = [
    ['', 'in the file', 'replayed', ''],
    ['players', show(inFile.players), show(tally.players.size), `${show(tally.newPlayers)} new`],
    ['matches', show(inFile.matches), show(tally.matches.size), `${show(tally.newMatches)} new`],
    [
      'moves',
      show(inFile.moves),
      show(moves),
      `${show(tally.accepted)} accepted, ${show(tally.duplicates)} stored before, ${show(tally.refused)} refused`,
    ],
    ['time', '', `${seconds.toFixed(1)} s`, `${show(rate)} events/s`],
  ];
  for (const [name = '', file = '', here = '', note = ''] of rows)
    console.log(`${name.padEnd(8)}${file.padStart(12)}${here.padStart(12)}   ${note}`.trimEnd());

  for (const [problem, count] of [...tally.problems].slice(0, 10))
    console.error(`${show(count)} × ${problem}`);
  if ([...tally.problems.keys()].some((problem) => problem.includes('auto-create is off')))
    console.error('Moves have many event values: turn auto-create on for the tenant (see the README).');
  return (
    tally.problems.size === 0 &&
    tally.players.size === inFile.players &&
    tally.matches.size === inFile.matches &&
    moves === inFile.moves
  );
}

function show(count: number): string {
  return count.toLocaleString('en');
}

/** A match that cannot exist. A 404 for it shows that the server responds and accepts the key. */
const NO_MATCH = '00000000-0000-0000-0000-000000000000';

/** Sends one request without a retry. Throws {@link UsageError} if no server responds, or if it refuses the game key. */
async function checkServer({ api }: ServerClient, url: string): Promise<void> {
  const error = await api
    .GET('/api/game/matches/{matchSessionId}', { params: { path: { matchSessionId: NO_MATCH } } })
    .then(
      () => undefined,
      (refusal: GuildhallError) => refusal,
    );
  if (error?.code === 'not_found') return;
  if (error?.status === 401)
    throw new UsageError(`${url} refuses the game key: ${error.code}: ${error.detail}`);
  if (error?.status === 0)
    throw new UsageError(
      `No server answers at ${url} (${reasonOf(error)}). Start Guildhall with \`npm start\`, or set --url.`,
    );
  throw new UsageError(`${url} is not a Guildhall server: it answered ${error?.status ?? 200}.`);
}

function reasonOf(error: GuildhallError): string {
  const { cause } = (error.cause ?? {}) as { cause?: { code?: string } };
  return cause?.code ?? error.code;
}

async function main(): Promise<void> {
  const options = readOptions();
  const games = await load(options.file);
  if (games.length === 0) throw new UsageError(`${options.file} contains no game.`);

  // Ctrl-C stops after the current games, so that each created match is recorded in the journal.
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());

  const client = createServerClient({
    baseUrl: options.url,
    gameKey: options.gameKey,
    timeoutMs: 60_000,
    retries: { attempts: 10, backOff: { firstMs: 200, longestMs: 60_000 } },
  });
  await checkServer(client, options.url);
  console.log(`${games.length} games from ${basename(options.file)} to ${options.url}`);
  const started = performance.now();
  const tally = await replayGames(games, {
    client,
    journalOf: (tenantId) => openJournal(join(options.state, `${tenantId}.jsonl`)),
    parallel: options.parallel,
    stop: stop.signal,
    onProgress: progress(games.length),
  });
  const agree = report(games, tally, (performance.now() - started) / 1000);
  if (stop.signal.aborted) console.error('Interrupted. Run it again to continue.');
  else if (!agree) console.error('The numbers of the file and the replay differ.');
  process.exitCode = agree ? 0 : 1;
}

main().catch((error: Error) => {
  const isExpected =
    error instanceof UsageError ||
    error instanceof GuildhallError ||
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  console.error(isExpected ? error.message : error);
  process.exitCode = 2;
});
