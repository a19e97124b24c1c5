import { parseArgs } from 'node:util';
import { createServerClient, GuildhallError } from '@guildhall/client/server';

/** A game server: two players sign in, play a round of dice, and the server records the match, its events and its results. */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env['GUILDHALL_URL'] ?? 'http://127.0.0.1:8080' },
    'game-key': { type: 'string', default: process.env['GUILDHALL_GAME_KEY'] ?? '' },
  },
});
const guildhall = createServerClient({ baseUrl: values.url, gameKey: values['game-key'] });

async function playDice(names: string[]): Promise<void> {
  // Mock is a provider for tests. A real game passes the tickets that its players send.
  const players = await Promise.all(
    names.map((name) => guildhall.signIn({ provider: 'Mock', token: `mock:${name}:dice` })),
  );
  const match = await guildhall.matches.create({
    players: players.map(({ playerId }) => ({ playerId })),
    mode: 'dice',
  });

  const rolls = players.map((player) => {
    const { matchPlayerId } = match.players.find(({ playerId }) => playerId === player.playerId)!;
    return { player, matchPlayerId, dice: 1 + Math.floor(Math.random() * 6) };
  });
  const best = Math.max(...rolls.map(({ dice }) => dice));

  for (const { player, matchPlayerId, dice } of rolls) {
    const { matchSessionId } = match;
    // The name of an event makes it safe to send it again.
    const name = { idempotencyKey: `${matchPlayerId}:roll`, occurredAt: new Date() };
    const { refused } = await guildhall.sendMatchEvents(player.accessToken, [
      { matchSessionId, matchPlayerId, eventKey: 'roll', value: dice, ...name },
    ]);
    for (const { refusal } of refused) console.error(`The roll was refused: ${refusal.error}`);
  }
  await guildhall.matches.recordResults(
    match.matchSessionId,
    rolls.map(({ matchPlayerId, dice }) => ({
      matchPlayerId,
      score: dice,
      outcome: dice === best ? 'win' : 'loss',
    })),
  );
  await guildhall.matches.end(match.matchSessionId);
  console.log(
    `Match ${match.matchSessionId}: ${rolls.map(({ dice }, at) => `${names[at]} ${dice}`).join(', ')}`,
  );
}

await playDice(['ada', 'grace']).catch((error: unknown) => {
  if (!(error instanceof GuildhallError)) throw error;
  console.error(`${error.code}: ${error.detail}`);
  process.exitCode = 1;
});
