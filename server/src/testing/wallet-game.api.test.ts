import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp, type TestApp } from './test-app.ts';
import { WALLET_ENV } from './wallet-recording.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/wallet-game/play.ts', import.meta.url));

/** Runs the program as a user does. */
function play(url: string, ...more: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [PROGRAM, '--url', url, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** How many entries of each kind the ledgers hold, and the score of the one who played. */
async function recorded({ owner }: TestApp) {
  const { rows } = await owner.query(
    'SELECT kind, count(*)::int AS count FROM wallet_ledger_entries GROUP BY kind ORDER BY kind',
  );
  const scores = await owner.query('SELECT score FROM wallet_players WHERE is_verified');
  return {
    counts: Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) as Record<string, number>,
    score: Number(scores.rows[0]?.score),
  };
}

test('a game is played to its end, and every call has left its entry', async () => {
  const app = await startTestApp({ env: WALLET_ENV });
  const { code, output } = await play(app.url, '--levels', '2');
  assert.equal(code, 0, output);
  const { counts, score } = await recorded(app);
  const { 'record.added': records = 0, ...others } = counts;
  assert.deepEqual(others, {
    'match.ended': 2,
    'match.player_ended': 2,
    'match.started': 2,
    'player.added': 2,
    'player.scored': 1,
    'session.ended': 1,
    'session.started': 1,
  });
  assert.equal(records, [...output.matchAll(/^ {2}record /gm)].length);
  assert.ok(records >= 2);
  assert.match(output, new RegExp(`^Game over: ${score} points\\.$`, 'm'));
});

test('where the issuer may not be asked, the program says what to do', async () => {
  const app = await startTestApp();
  const { code, output } = await play(app.url);
  assert.equal(code, 1, output);
  assert.match(output, /ALLOW_PRIVATE_ADDRESSES=on/);
});
