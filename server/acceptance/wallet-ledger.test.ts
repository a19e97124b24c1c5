import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeGameKey } from './arrange.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
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
    const gameKey = await arrangeGameKey(server.url);
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
        const answer = await fetch(url, { headers: { 'x-game-key': gameKey } });
        assert.equal(answer.status, 200, `an acknowledged entry is gone: ${await answer.clone().text()}`);
        const { entries } = (await answer.json()) as { entries: { body: { score: string } }[] };
        scores.set(next.transactionHash, entries[0]!.body.score);
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

async function signIn({ url }: ServerProcess, gameKey: string, number: number): Promise<string> {
  const headers = { 'content-type': 'application/json', 'x-game-key': gameKey };
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()) as { accessToken: string };
  };
  const password = { playerId: `player-${number}`, signInPassword: 'correct horse' };
  const playerAddress = `0x${String(number).padStart(40, '0')}`;
  await post('/api/BlockchainStorage/players/add/anon', { ...password, playerAddress });
  return (await post('/api/Auth/wallet/login/password', password)).accessToken;
}

/** Records scores until the server is gone. */
async function recordScores(
  { url }: ServerProcess,
  bearer: string,
  first: number,
  acknowledged: Acknowledged[],
  over: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
  for (let score = first; !over.aborted; score++) {
    try {
      const answer = await fetch(`${url}/api/BlockchainStorage/players/set/score`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ newScore: score }),
      });
      if (answer.status === 200) {
        const { transactionHash } = (await answer.json()) as { transactionHash: string };
        acknowledged.push({ transactionHash, score });
      } else if (answer.status < 500) assert.fail(`a score was refused: ${await answer.text()}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return; // The connection broke, so the client does not know whether the score was recorded.
    }
  }
}
