import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { arrangeGame } from './game.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/game-server/server.ts', import.meta.url));
const app = await startTestApp();

async function run(gameKey: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [PROGRAM, '--url', app.url, '--game-key', gameKey]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test('examples/game-server records a match with its events and results', async () => {
  const { gameKey, tenantId } = await arrangeGame(app);
  const { code, output } = await run(gameKey);
  assert.equal(code, 0, output);
  assert.match(output, /^Match [\w-]{36}: ada [1-6], grace [1-6]\n$/);
  const { rows } = await app.owner.query(
    `SELECT (SELECT count(*)::int FROM match_events WHERE tenant_id = $1) AS events,
            (SELECT count(*)::int FROM match_players WHERE tenant_id = $1 AND outcome IS NOT NULL) AS results`,
    [tenantId],
  );
  assert.deepEqual(rows, [{ events: 2, results: 2 }]);
});

test('examples/game-server says in one line that a key is wrong', async () => {
  const { code, output } = await run('gh_game_wrong');
  assert.equal(code, 1);
  assert.match(output, /^invalid_game_key: .+\n$/);
});
