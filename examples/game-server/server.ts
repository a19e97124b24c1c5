import { parseArgs } from 'node:util';
import { createServerClient, GuildhallError, type ServerClient } from '@guildhall/client/server';

const USAGE = `A game server: two players sign in, play a round of dice, and the server records the match, its events and its results.

npm run game-server -- --game-key gh_game_… [options]

  --game-key KEY   the tenant's game key (or GUILDHALL_GAME_KEY)
  --url URL        the base URL of Guildhall (default: GUILDHALL_URL, or http://127.0.0.1:8080)
`;

async function playDice(guildhall: ServerClient, names: string[]): Promise<void> {
  // Mock is a provider for tests. The first sign-in of a name sets its password: the quick start uses `secret` too.
  // A real game passes the tickets that its players send.
  const players = await Promise.all(
    names.map((name) => guildhall.signIn({ provider: 'Mock', token: `mock:${name}:secret` })),
  );
  const match = await guildhall.matches.create({
    players: players.map(({ playerId }) => ({ playerId })),
    mode: 'dice',
  });

  const rolls = players.map((player) => {
    const { matchPlayerId } = match.players.find(({ playerId }) => playerId === player.playerId)!;
    return { player, matchPlayerId, dice: 1 + Math.floor(Math.random() * 6) };
  });

  for (const { player, matchPlayerId, dice } of rolls) {
    const { matchSessionId } = match;
    // The name of an event makes it safe to send it again.
    const name = { idempotencyKey: `${matchPlayerId}:roll`, occurredAt: new Date() };
    const { refused } = await guildhall.sendMatchEvents(player.accessToken, [
      { matchSessionId, matchPlayerId, eventKey: 'roll', value: dice, ...name },
    ]);
    for (const { refusal } of refused) console.error(`The roll was refused: ${refusal.error}`);
  }

  const best = Math.max(...rolls.map(({ dice }) => dice));
  const outcomeOfBest = rolls.filter(({ dice }) => dice === best).length > 1 ? 'draw' : 'win';
  await guildhall.matches.recordResults(
    match.matchSessionId,
    rolls.map(({ matchPlayerId, dice }) => ({
      matchPlayerId,
      score: dice,
      outcome: dice === best ? outcomeOfBest : 'loss',
    })),
  );
  await guildhall.matches.end(match.matchSessionId);
  console.log(
    `Match ${match.matchSessionId}: ${rolls.map(({ dice }, at) => `${names[at]} ${dice}`).join(', ')}`,
  );
}

/** Thrown if the program cannot start. Its message is printed without a stack. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'game-key': { type: 'string', default: process.env['GUILDHALL_GAME_KEY'] ?? '' },
      url: { type: 'string', default: process.env['GUILDHALL_URL'] ?? 'http://127.0.0.1:8080' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { url, 'game-key': gameKey } = values;
  if (values.help) return console.log(USAGE);
  // The placeholder of the README is no key: `gh_game_…`. An API key is none either.
  if (!/^gh_game_\w+$/.test(gameKey))
    throw new UsageError('Set a game key (gh_game_) with --game-key or GUILDHALL_GAME_KEY.');
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`--url: "${url}" is not an http URL.`);

  await playDice(createServerClient({ baseUrl: url, gameKey }), ['ada', 'grace']).catch((error: unknown) => {
    if (!(error instanceof GuildhallError)) throw error;
    if (error.code === 'network_error' || error.code === 'timeout')
      throw new UsageError(`No server answers at ${url}. Start Guildhall with \`npm start\`, or set --url.`);
    throw new UsageError(`${error.code}: ${error.detail}`);
  });
}

main().catch((error: Error & { code?: string }) => {
  const isExpected = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
});
