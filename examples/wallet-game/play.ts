import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { GuildhallError } from '@guildhall/client';
import { runLevel } from './coin-run.ts';
import { createRecording, type Recording } from './recording.ts';
import { setUpGame } from './studio.ts';
import { startWalletIssuer } from './wallet-issuer.ts';

const USAGE = `Plays Coin Run, a single-player game, and records it with all twelve calls of wallet recording.

node examples/wallet-game/play.ts [options]

  --url URL      the base URL of Guildhall (default: GUILDHALL_URL, or http://127.0.0.1:8080)
  --levels N     how many levels to play (default: 3)
  --proof FILE   the file for the proof of the final score (default: wallet-game-proof.json)
`;

const GHOST = 'the ghost';

/** Plays and records one game. Returns the final score and the transaction that recorded it. */
async function play(
  recording: Recording,
  address: string,
  jwt: string,
  levels: number,
): Promise<{ score: bigint; transactionHash: string }> {
  const known = await recording.lookUpAddress(address);
  console.log(known === undefined ? `${address} is a new player` : `${address} is player ${known}`);

  // The ghost is a player without a wallet. The first game in a tenant adds it.
  let ghost = await recording.lookUpName(GHOST);
  if (ghost === undefined) {
    const added = await recording.addPlayer(GHOST, newAddress(), randomBytes(12).toString('hex'));
    ghost = added.playerIndex;
    print('added the ghost', added.transactionHash);
  }

  const player = await recording.signIn(jwt);
  console.log(`signed in as player ${player.playerIndex}, called ${player.playerId}`);
  const { sessionId, transactionHash } = await player.startSession('Coin Run on Node', unixSeconds());
  print(`login session ${sessionId}`, transactionHash);

  let total = 0;
  for (let level = 1; level <= levels; level++) {
    const match = await player.startMatch(`level ${level}`);
    const { matchSessionId } = match;
    print(`level ${level} is match ${matchSessionId}`, match.transactionHash);
    let score = 0;
    let won = false;
    for (const event of runLevel(Math.random)) {
      const { key, value } = event;
      ({ score } = event);
      won = key === 'door';
      const otherPlayers = key === 'ghost' ? [ghost] : [];
      const { id, transactionHash } = await player.addRecord({
        matchSessionId,
        score,
        key,
        value,
        otherPlayers,
      });
      print(`  record ${id}: ${key} ${value}, ${score} points`, transactionHash);
    }
    const part = await player.endPart({ matchSessionId, score, winLoss: won ? 1 : -1, matchPosition: 1 });
    print(
      `  ${won ? 'won' : 'lost'} with ${score} points, play data ${part.playDataId}`,
      part.transactionHash,
    );
    print('  the match has ended', (await player.endMatch(matchSessionId)).transactionHash);
    total += score;
  }

  // Scores are 64-bit integers, which a number cannot hold exactly.
  const readScore = async () => BigInt((await player.readPlayer(player.playerIndex)).score);
  const expected = (await readScore()) + BigInt(total);
  const scored = await player.setScore(expected);
  print(`score ${expected}`, scored.transactionHash);
  const score = await readScore();
  print('logged out', (await player.endSession(sessionId)).transactionHash);
  if (score !== expected) throw new Error(`The ledger has ${score} points instead of ${expected}.`);
  return { score, transactionHash: scored.transactionHash };
}

/** Prints a step with the hash of its transaction. */
function print(step: string, transactionHash: string): void {
  console.log(`${step.padEnd(48)} ${transactionHash.slice(0, 18)}…`);
}

/** A random wallet address. In a real game, the player has a wallet. */
function newAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`;
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: process.env['GUILDHALL_URL'] ?? 'http://127.0.0.1:8080' },
      levels: { type: 'string', default: '3' },
      proof: { type: 'string', default: 'wallet-game-proof.json' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const levels = Number(values.levels);
  if (values.help || !URL.canParse(values.url) || !Number.isInteger(levels) || levels < 1 || levels > 100) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const baseUrl = values.url.replace(/\/+$/, '');
  const issuer = await startWalletIssuer('coin-run');
  try {
    const gameKey = await setUpGame(baseUrl, issuer);
    const address = newAddress();
    const recording = createRecording(baseUrl, gameKey);
    const { score, transactionHash } = await play(recording, address, issuer.tokenOf(address), levels);
    console.log(`Game over: ${score} points.`);
    const { head, ...proof } = await recording.proveTransaction(transactionHash);
    await writeFile(values.proof, `${JSON.stringify(proof)}\n`);
    const known = `${transactionHash} ${head.index}:${head.hash}`;
    console.log(`Check the score: node examples/verify-ledger/verify-ledger.mjs ${known} ${values.proof}`);
  } catch (error) {
    if (!(error instanceof GuildhallError)) throw error;
    console.error(
      error.status === 0
        ? `No server answers at ${baseUrl} (${error.code}). Start Guildhall with \`npm start\`, or set --url.`
        : error.message,
    );
    if (error.message.includes('issuer') || error.status === 502)
      console.error('The issuer is on this machine. Start Guildhall with ALLOW_PRIVATE_ADDRESSES=on.');
    process.exitCode = 1;
  } finally {
    issuer.close();
  }
}

main().catch((error: Error & { code?: string }) => {
  console.error(error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error);
  process.exitCode = 2;
});
