import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { accepted, call } from './http.ts';
import {
  crash,
  dataFolder,
  exitOf,
  spawnCommand,
  startServer,
  type ServerProcess,
} from './server-process.ts';

/**
 * Acknowledged entries of the wallet ledger are in the hash chain after any crash, and the chain has no gap. Players
 * record scores, each with its own number, while Node and PostgreSQL are killed together.
 */
const ROUNDS = 3;
const PLAYERS = 8;

interface Acknowledged {
  transactionHash: string;
  score: number;
}

test(`keeps every acknowledged entry in the chain over ${ROUNDS} crashes`, async () => {
  const folder = dataFolder();
  const dataDir = folder.path;
  try {
    // All servers use one port, because the URL is the issuer of the players' tokens.
    const options = { dataDir, port: await freePort() };
    let server = await startServer(options);
    const { gameKey } = await arrangeTenant(server.url);
    const bearers: string[] = [];
    for (let number = 1; number <= PLAYERS; number++) bearers.push(await signIn(server, gameKey, number));

    const acknowledged: Acknowledged[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const over = new AbortController();
      const players = bearers.map((bearer, number) => {
        const first = (round * PLAYERS + number) * 1_000_000;
        return recordScores(server, bearer, first, acknowledged, over.signal);
      });
      // On a busy machine, writes are slow at first.
      await eventually(() => acknowledged.length > 20 * (round + 1));
      await sleep(400 + Math.random() * 600);
      over.abort();
      await crash(server, dataDir);
      await Promise.all(players);
      server = await startServer(options);
    }

    assert.ok(acknowledged.length > 50, `only ${acknowledged.length} scores were recorded`);
    const scores = new Map<string, string>();
    const unread = [...acknowledged];
    const read = async (): Promise<void> => {
      for (let next = unread.pop(); next; next = unread.pop()) {
        const url = `${server.url}/api/BlockchainStorage/transactions/${next.transactionHash}`;
        const { entries } = await accepted('GET', url, { gameKey }, 200);
        scores.set(next.transactionHash, entries[0].body.score);
      }
    };
    await Promise.all(Array.from({ length: 16 }, read));
    assert.equal(scores.size, acknowledged.length, 'no two responses name the same entry');
    for (const { transactionHash, score } of acknowledged)
      assert.equal(scores.get(transactionHash), String(score));
    await server.end('SIGTERM');

    const verify = spawnCommand('verify', { dataDir });
    assert.equal(await exitOf(verify.child), 0, verify.output());
    assert.match(verify.output(), /All \d+ rows match/);
  } finally {
    folder.remove();
  }
});

/** Creates a player with a wallet and a password, and signs them in. */
async function signIn({ url }: ServerProcess, gameKey: string, number: number): Promise<string> {
  const player = { playerId: `player-${number}`, signInPassword: 'correct horse' };
  const body = { ...player, playerAddress: `0x${String(number).padStart(40, '0')}` };
  await accepted('POST', `${url}/api/BlockchainStorage/players/add/anon`, { gameKey, body }, 200);
  const logIn = `${url}/api/Auth/wallet/login/password`;
  return (await accepted('POST', logIn, { gameKey, body: player }, 200)).accessToken;
}

/** Records scores until the server is gone. */
async function recordScores(
  { url }: ServerProcess,
  bearer: string,
  first: number,
  acknowledged: Acknowledged[],
  over: AbortSignal,
): Promise<void> {
  for (let score = first; !over.aborted; score++) {
    try {
      const scores = `${url}/api/BlockchainStorage/players/set/score`;
      const { status, body } = await call('POST', scores, { bearer, body: { newScore: score } });
      if (status === 200) acknowledged.push({ transactionHash: body.transactionHash, score });
      else if (status < 500) assert.fail(`a score was refused: ${JSON.stringify(body)}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return; // The connection broke, so the client does not know whether the score was recorded.
    }
  }
}
