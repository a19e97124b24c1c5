import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../acceptance/free-port.ts';
import { arrangeTenant, type TestTenant } from './arrange.ts';
import { startTestApp } from './test-app.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/chess-replay/replay.ts', import.meta.url));
const FAMOUS_GAMES = fileURLToPath(
  new URL('../../../examples/chess-replay/famous-games.pgn', import.meta.url),
);

const app = await startTestApp();
const folder = await mkdtemp(join(tmpdir(), 'guildhall-replay-'));
after(() => rm(folder, { recursive: true }));

async function arrangeChessTenant({ autoCreate = true } = {}): Promise<TestTenant> {
  const tenant = await arrangeTenant(app);
  await app.owner.query('UPDATE tenants SET auto_create_definitions = $2 WHERE id = $1', [
    tenant.tenantId,
    autoCreate,
  ]);
  return tenant;
}

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the program like a user. */
function replay(tenant: TestTenant, ...more: string[]): Promise<Run> {
  const child = spawn(process.execPath, [PROGRAM, '--url', app.url, '--state', folder, ...more], {
    env: { ...process.env, GUILDHALL_GAME_KEY: tenant.gameKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: Run = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (run.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (run.stderr += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...run, code })));
}

/** Counts the stored rows of a tenant. */
async function stored({ tenantId }: TestTenant) {
  const { rows } = await app.owner.query(
    `SELECT (SELECT count(*) FROM tenant_access WHERE tenant_id = $1)::int AS players,
            (SELECT count(*) FROM match_sessions WHERE tenant_id = $1)::int AS matches,
            (SELECT count(*) FROM match_sessions WHERE tenant_id = $1 AND ended_at IS NOT NULL)::int AS ended,
            (SELECT count(*) FROM match_players WHERE tenant_id = $1 AND outcome = 'win')::int AS wins,
            (SELECT count(*) FROM match_players WHERE tenant_id = $1 AND outcome = 'draw')::int AS draws,
            (SELECT count(*) FROM match_events WHERE tenant_id = $1)::int AS moves`,
    [tenantId],
  );
  return rows[0];
}

const WHOLE_FILE = { players: 13, matches: 8, ended: 8, wins: 7, draws: 2, moves: 448 };

describe('examples/chess-replay', () => {
  test('has a file of games with the numbers that these tests expect', async () => {
    const text = await readFile(FAMOUS_GAMES, 'utf8');
    const names = [...text.matchAll(/^\[(?:White|Black) "(.*)"\]/gm)].map(([, name]) => name);
    const moves = text
      .replace(/\[.*\]|\{[^}]*\}|\([^)]*\)|\$\d+|\d+\.|1-0|0-1|1\/2-1\/2/g, ' ')
      .split(/\s+/)
      .filter(Boolean);
    assert.equal(new Set(names).size, WHOLE_FILE.players);
    assert.equal(names.length / 2, WHOLE_FILE.matches);
    assert.equal(moves.length, WHOLE_FILE.moves);
  });

  test('stores every game once, and adds nothing in a second run', async () => {
    const tenant = await arrangeChessTenant();
    const first = await replay(tenant);
    assert.equal(first.code, 0, first.stdout + first.stderr);
    assert.match(first.stdout, /players +13 +13 +13 new/);
    assert.match(first.stdout, /matches +8 +8 +8 new/);
    assert.match(first.stdout, /moves +448 +448 +448 accepted, 0 stored before, 0 refused/);
    assert.deepEqual(await stored(tenant), WHOLE_FILE);
    const { rows } = await app.owner.query(
      'SELECT sum(login_count)::int AS count FROM tenant_access WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    assert.deepEqual(rows, [{ count: WHOLE_FILE.players }], 'each player signs in once');

    const second = await replay(tenant);
    assert.equal(second.code, 0, second.stdout + second.stderr);
    assert.match(second.stdout, /players +13 +13 +0 new/);
    assert.match(second.stdout, /matches +8 +8 +0 new/);
    assert.match(second.stdout, /moves +448 +448 +0 accepted, 448 stored before, 0 refused/);
    assert.deepEqual(await stored(tenant), WHOLE_FILE);
  });

  test('stores the moves in the order in which they were played', async () => {
    const tenant = await arrangeChessTenant();
    await replay(tenant);
    const { body } = await app.http.get(
      `/api/bus_tenants/${tenant.tenantId}/events?scope=match&from=1997-01-01T00:00:00Z&to=1998-01-01T00:00:00Z`,
      { apiKey: tenant.apiKey },
    );
    const moves = (body.items as { eventValue: string; value: number; occurredAt: string }[]).toReversed();
    assert.deepEqual(
      moves.map((event) => event.value),
      Array.from({ length: 37 }, (_, index) => index + 1),
    );
    assert.deepEqual(
      moves.slice(-3).map((event) => event.eventValue),
      ['Rxe7', 'Bxe7', 'c4'],
    );
    assert.equal(Date.parse(moves[0]!.occurredAt), Date.parse('1997-05-11T00:00:01Z'));
  });

  test('continues an interrupted replay', async () => {
    const tenant = await arrangeChessTenant();
    const text = await readFile(FAMOUS_GAMES, 'utf8');
    const half = join(folder, 'half.pgn');
    await writeFile(half, text.slice(0, text.indexOf('[Event "Third Rosenwald')));
    assert.equal((await replay(tenant, half)).code, 0);
    assert.equal((await stored(tenant)).matches, 4);

    const whole = await replay(tenant);
    assert.match(whole.stdout, /matches +8 +8 +4 new/);
    assert.deepEqual(await stored(tenant), WHOLE_FILE);
  });

  test('creates the matches again without its state, but duplicates no move', async () => {
    const tenant = await arrangeChessTenant();
    await replay(tenant);
    await rm(join(folder, `${tenant.tenantId}.jsonl`));
    const again = await replay(tenant);
    assert.match(again.stdout, /matches +8 +8 +8 new/);
    assert.match(again.stdout, /moves +448 +448 +0 accepted, 448 stored before/);
    assert.equal((await stored(tenant)).moves, WHOLE_FILE.moves);
  });

  test('counts and prints rejected moves, and exits with 1', async () => {
    const tenant = await arrangeChessTenant({ autoCreate: false });
    const run = await replay(tenant);
    assert.equal(run.code, 1);
    assert.match(run.stdout, /moves +448 +0 +0 accepted, 0 stored before, 448 refused/);
    assert.match(run.stderr, /448 × 422: /);
    assert.match(run.stderr, /turn auto-create on/);
  });

  test('reports each game if it cannot write to its state folder, and exits with 1', async () => {
    const tenant = await arrangeChessTenant();
    const run = await replay(tenant, '--state', FAMOUS_GAMES);
    assert.equal(run.code, 1, run.stderr);
    assert.match(run.stdout, /matches +8 +0 +0 new/);
    assert.match(run.stderr, /1 × game .*: EEXIST: file already exists/);
  });

  test('prints one sentence for a wrong key, file, option or URL, and writes nothing', async () => {
    const tenant = await arrangeChessTenant();
    const before = await readdir(folder);
    const wrongKey = await replay({ ...tenant, gameKey: 'gh_game_wrong' });
    assert.equal(wrongKey.code, 2);
    assert.match(wrongKey.stderr, /^http\S+ refuses the game key: invalid_game_key: .*\n$/);
    const noServer = await replay(tenant, '--url', `http://127.0.0.1:${await freePort()}`);
    assert.equal(noServer.code, 2);
    assert.match(noServer.stderr, /^No server answers at \S+ \(ECONNREFUSED\)\. Start Guildhall .*\n$/);
    const wrongFile = await replay(tenant, join(folder, 'none.pgn'));
    assert.equal(wrongFile.code, 2);
    assert.match(wrongFile.stderr, /none\.pgn: ENOENT/);
    const wrongOption = await replay(tenant, '--parallel', 'many');
    assert.equal(wrongOption.code, 2);
    assert.match(wrongOption.stderr, /--parallel takes a number/);
    assert.deepEqual(await readdir(folder), before);
  });
});
