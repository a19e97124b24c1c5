import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { arrangeGame } from './game.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/game-server/server.ts', import.meta.url));
const app = await startTestApp();

interface Run {
  code: number | null;
  output: string;
}

/** Runs the program like a user. */
async function run(args: string[], nodeOptions: string[] = []): Promise<Run> {
  const { GUILDHALL_GAME_KEY: _key, GUILDHALL_URL: _url, ...env } = process.env;
  const child = spawn(process.execPath, [...nodeOptions, PROGRAM, ...args], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

const outcomesOf = async (tenantId: string): Promise<(string | null)[]> => {
  const { rows } = await app.owner.query<{ outcome: string | null }>(
    'SELECT outcome FROM match_players WHERE tenant_id = $1 LIMIT 10',
    [tenantId],
  );
  return rows.map(({ outcome }) => outcome);
};

describe('examples/game-server', () => {
  test('records a match of the players of the quick start with its events and results', async () => {
    const { gameKey, tenantId } = await arrangeGame(app);
    for (const name of ['ada', 'grace']) {
      const login = { provider: 'Mock', token: `mock:${name}:secret` };
      const { status } = await app.http.post('/api/player-auth/login', login, { gameKey });
      assert.equal(status, 200);
    }
    const { code, output } = await run(['--url', app.url, '--game-key', gameKey]);
    assert.equal(code, 0, output);
    const [, ada, grace] =
      /^Match [\w-]{36}: ada ([1-6]), grace ([1-6])\n$/.exec(output) ?? assert.fail(output);
    const { rows } = await app.owner.query(
      'SELECT count(*)::int AS events FROM match_events WHERE tenant_id = $1',
      [tenantId],
    );
    assert.deepEqual(rows, [{ events: 2 }]);
    const outcomes = (await outcomesOf(tenantId)).toSorted();
    assert.deepEqual(outcomes, ada === grace ? ['draw', 'draw'] : ['loss', 'win']);
  });

  test('records a draw when the dice are equal', async () => {
    const { gameKey, tenantId } = await arrangeGame(app);
    const equalDice = ['--import', 'data:text/javascript,Math.random=()=>0.5'];
    const { code, output } = await run(['--url', app.url, '--game-key', gameKey], equalDice);
    assert.equal(code, 0, output);
    assert.match(output, /: ada 4, grace 4\n$/);
    assert.deepEqual(await outcomesOf(tenantId), ['draw', 'draw']);
  });

  test('shows its usage', async () => {
    const { code, output } = await run(['--help']);
    assert.equal(code, 0, output);
    assert.match(output, /npm run game-server -- --game-key .+--url URL/s);
  });

  const refusals: [title: string, args: string[], message: RegExp][] = [
    ['no key is set', ['--url', app.url], /^Set a game key \(gh_game_\) with .+\n$/],
    ['the key is the placeholder', ['--game-key', 'gh_game_…'], /^Set a game key .+\n$/],
    ['the key is an API key', ['--game-key', 'gh_api_any'], /^Set a game key .+\n$/],
    ['the key is wrong', ['--url', app.url, '--game-key', 'gh_game_wrong'], /^invalid_game_key: .+\n$/],
    [
      'no server answers',
      ['--url', 'http://127.0.0.1:9', '--game-key', 'gh_game_any'],
      /^No server answers at http:\/\/127\.0\.0\.1:9\..+\n$/,
    ],
    ['the address is no URL', ['--url', 'localhost:8080', '--game-key', 'gh_game_any'], /^--url: .+\n$/],
    ['an option is unknown', ['--unknown'], /^Unknown option '--unknown'.*\n$/],
  ];
  for (const [title, args, message] of refusals)
    test(`says in one line that ${title}`, async () => {
      const { code, output } = await run(args);
      assert.equal(code, 1);
      assert.match(output, message);
    });
});
