import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../acceptance/free-port.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { WALLET_ENV } from './wallet-recording.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/wallet-game/play.ts', import.meta.url));

const CHECKER = fileURLToPath(new URL('../../../examples/verify-ledger/verify-ledger.mjs', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'guildhall-wallet-game-'));
const proof = join(folder, 'proof.json');
after(() => rm(folder, { recursive: true }));

/** Runs the game like a user. */
function play(url: string, ...more: string[]): Promise<{ code: number | null; output: string }> {
  return run(PROGRAM, '--url', url, '--proof', proof, ...more);
}

function run(program: string, ...more: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [program, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** The number of ledger entries of each kind, and the score of the player. */
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

describe('examples/wallet-game', () => {
  test('plays a game to its end, and every call adds a ledger entry', async () => {
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

  test('writes a proof of the score that the ledger checker accepts', async () => {
    const app = await startTestApp({ env: WALLET_ENV });
    const { code, output } = await play(app.url, '--levels', '1');
    assert.equal(code, 0, output);
    const { score } = await recorded(app);
    const [, hash = '', head = ''] = /verify-ledger\.mjs (0x\w+) (\d+:0x\w+) /.exec(output) ?? [];
    const checked = await run(CHECKER, hash, head, proof);
    assert.equal(checked.code, 0, checked.output);
    assert.match(checked.output, new RegExp(`is in the ledger .*, and says: .*\\{"score":"${score}"\\}`));

    await writeFile(proof, (await readFile(proof, 'utf8')).replace(`\\"${score}\\"`, '\\"999999\\"'));
    const forged = await run(CHECKER, hash, head, proof);
    assert.equal(forged.code, 1);
    assert.match(forged.output, /has no entry with the hash/);
  });

  test('prints one sentence if no server answers', async () => {
    const { code, output } = await play(`http://127.0.0.1:${await freePort()}`);
    assert.equal(code, 1);
    assert.match(output, /^No server answers at http:\/\/127\.0\.0\.1:\d+ .*npm start.*\n$/);
  });

  test('prints the setting that allows the issuer', async () => {
    const app = await startTestApp();
    const { code, output } = await play(app.url);
    assert.equal(code, 1, output);
    assert.match(output, /ALLOW_PRIVATE_ADDRESSES=on/);
  });
});
