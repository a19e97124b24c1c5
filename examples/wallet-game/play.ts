import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ApiError, connect } from './api-client.ts';
import { runLevel } from './coin-run.ts';
import { openRecording, type Recording } from './recording.ts';
import { setUpGame } from './studio.ts';
import { startWalletIssuer } from './wallet-issuer.ts';

const USAGE = `Plays Coin Run, a game for one player, and records it with all twelve calls of wallet recording.

node examples/wallet-game/play.ts [options]

  --url URL      where Guildhall answers (default: GUILDHALL_URL, or http://127.0.0.1:8080)
  --levels N     how many levels to play (default: 3)
  --proof FILE   where to write the proof of the final score (default: wallet-game-proof.json)
`;

const GHOST = 'the ghost';

/** One player, from opening the app to closing it. Returns the final score, and the transaction that recorded it. */
async function play(
  recording: Recording,
  address: string,
  jwt: string,
  levels: number,
): Promise<{ score: number; transactionHash: string }> {
  const known = await recording.lookUpAddress(address);
  console.log(known === undefined ? `${address} is new here` : `${address} is player ${known}`);

  // A rival that no wallet stands behind, made by whoever comes first.
  let ghost = await recording.lookUpName(GHOST);
  if (ghost === undefined) {
    const added = await recording.addPlayer(GHOST, newAddress(), randomBytes(12).toString('hex'));
    ghost = added.playerIndex;
    tell('added the ghost', added.transactionHash);
  }

  const player = await recording.signIn(jwt);
  console.log(`signed in as player ${player.playerIndex}, called ${player.playerId}`);
  const { sessionId, transactionHash } = await player.startSession('Coin Run on Node', unixSeconds());
  tell(`login session ${sessionId}`, transactionHash);

  let total = 0;
  for (let level = 1; level <= levels; level++) {
    const match = await player.startMatch(`level ${level}`);
    const { matchSessionId } = match;
    tell(`level ${level} is match ${matchSessionId}`, match.transactionHash);
    let score = 0;
    let won = false;
    for (const happening of runLevel(Math.random)) {
      const { key, value } = happening;
      ({ score } = happening);
      won = key === 'door';
      const otherPlayers = key === 'ghost' ? [ghost] : [];
      const { id, transactionHash } = await player.addRecord({
        matchSessionId,
        score,
        key,
        value,
        otherPlayers,
      });
      tell(`  record ${id}: ${key} ${value}, ${score} points`, transactionHash);
    }
    const part = await player.endPart({ matchSessionId, score, winLoss: won ? 1 : -1, matchPosition: 1 });
    tell(
      `  ${won ? 'won' : 'lost'} with ${score} points, play data ${part.playDataId}`,
      part.transactionHash,
    );
    tell('  the match has ended', (await player.endMatch(matchSessionId)).transactionHash);
    total += score;
  }

  const { score: before } = await player.readPlayer(player.playerIndex);
  const scored = await player.setScore(before + total);
  tell(`score ${before + total}`, scored.transactionHash);
  const { score } = await player.readPlayer(player.playerIndex);
  tell('logged out', (await player.endSession(sessionId)).transactionHash);
  if (score !== before + total) throw new Error(`The ledger has ${score} points, and not ${before + total}.`);
  return { score, transactionHash: scored.transactionHash };
}

/** Prints a step with the hash of its transaction. */
function tell(what: string, transactionHash: string): void {
  console.log(`${what.padEnd(48)} ${transactionHash.slice(0, 18)}…`);
}

/** The address of a wallet. In a real game the player has one; here anybody's will do. */
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
  const send = connect(values.url.replace(/\/+$/, ''));
  const issuer = await startWalletIssuer('coin-run');
  try {
    const gameKey = await setUpGame(send, issuer);
    const address = newAddress();
    const recording = openRecording(send, gameKey);
    const { score, transactionHash } = await play(recording, address, issuer.tokenOf(address), levels);
    console.log(`Game over: ${score} points.`);
    await writeFile(values.proof, `${JSON.stringify(await recording.proveTransaction(transactionHash))}\n`);
    console.log(`Check the score: node examples/verify-ledger/verify-ledger.mjs ${values.proof}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.error(error.message);
    if (error.message.includes('issuer') || error.status === 502)
      console.error('The issuer is on this machine: start Guildhall with ALLOW_PRIVATE_ADDRESSES=on.');
    process.exitCode = 1;
  } finally {
    issuer.close();
  }
}

await main();
