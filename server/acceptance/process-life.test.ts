import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { GUILDHALL } from '../built-programs.ts';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { startExternalPostgres } from './external-postgres.ts';
import { freePort } from './free-port.ts';
import { call, signIn } from './http.ts';
import {
  answersOrEnds,
  childrenOf,
  dataFolder,
  exitOf,
  killPostgres,
  ordinaryUser,
  postgresOf,
  spawnCommand,
  spawnServer,
  startServer,
  type CommandProcess,
  type ServerProcess,
} from './server-process.ts';

const folder = dataFolder();
const dataDir = folder.path;
let gameKey = '';
let playerId = '';
let running: ServerProcess;
after(() => folder.remove());

/** The advisory lock of a process that applies migrations. */
const MIGRATIONS_LOCK = 7_118_007;

const login = { provider: 'Mock', token: 'mock:ada:secret' };
const loginBody = JSON.stringify(login);

const logIn = ({ url }: ServerProcess): Promise<{ playerId: string }> => signIn(url, gameKey);

/** Sends the first half of a login body. `finish` sends the second half and returns the response. */
async function slowLogin({ url }: ServerProcess) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (text) => (answer += text.toString()));
  await once(socket, 'connect');
  socket.write(
    `POST /api/player-auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Game-Key: ${gameKey}\r\n` +
      `Content-Length: ${loginBody.length}\r\n\r\n${loginBody.slice(0, 10)}`,
  );
  // A response to a later request proves that the server has received the headers.
  await fetch(`${url}/health/live`);
  return {
    async finish() {
      socket.write(loginBody.slice(10));
      await once(socket, 'close');
      return answer;
    },
  };
}

test('a first start creates the database, and SIGTERM finishes running requests and stops PostgreSQL', async () => {
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'info' } });
  assert.equal(statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600);
  ({ gameKey } = await arrangeTenant(server.url));
  ({ playerId } = await logIn(server));

  const slow = await slowLogin(server);
  server.child.kill('SIGTERM');
  const ended = server.end('SIGTERM'); // npm also forwards a signal that the server has already received.
  await becomesClosed(server);
  const answer = await slow.finish();
  assert.match(answer, /^HTTP\/1\.1 200 OK/);
  assert.ok(answer.includes(playerId));
  assert.equal(await ended, 0, server.output());
  assert.equal(postgresOf(dataDir), undefined, 'PostgreSQL is stopped');
  assert.match(server.output(), /"msg":"stopping"[^]+"msg":"stopped"/);
});

/** Waits until a server accepts no new connections. */
const becomesClosed = ({ url }: ServerProcess): Promise<void> =>
  eventually(
    () =>
      fetch(`${url}/health/live`, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      ),
    'the server accepts no connections',
  );

test('kill -9 leaves PostgreSQL running, and the next start uses it', async () => {
  const first = await startServer({ dataDir });
  const postgres = postgresOf(dataDir);
  assert.ok(postgres);
  assert.equal(await first.end('SIGKILL'), 'SIGKILL');
  assert.equal(postgresOf(dataDir), postgres);

  running = await startServer({ dataDir });
  assert.equal(postgresOf(dataDir), postgres, 'no second PostgreSQL starts on one folder');
  assert.equal((await logIn(running)).playerId, playerId);
});

test('a second server on the same folder exits with one sentence, and the first continues', async () => {
  const second = await spawnServer({ dataDir });
  assert.equal(await answersOrEnds(second), 'ends');
  assert.equal(await exitOf(second.child), 1);
  assert.match(
    second.output(),
    /^Another Guildhall server already uses [^\n]+ set another DATA_DIR for this server\.\n$/,
  );
  assert.equal((await logIn(running)).playerId, playerId);
});

test('a worker can run and stop next to a server, and ignores SIGUSR2', async () => {
  const worker = spawnCommand('worker', { dataDir });
  while (!worker.output().includes('The worker runs.')) {
    assert.equal(worker.child.exitCode, null, worker.output());
    await sleep(20);
  }
  worker.child.kill('SIGUSR2');
  assert.equal(await worker.end('SIGTERM'), 0, worker.output());
  assert.equal((await logIn(running)).playerId, playerId);
});

test('a command refuses a copy of the folder of a running server', async () => {
  const copies = dataFolder();
  try {
    const copy = join(copies.path, 'copy');
    // It ends with 1 if PostgreSQL removes a file meanwhile.
    spawnSync('cp', ['-a', dataDir, copy], { stdio: 'ignore' });
    const rotation = spawnCommand('keys rotate', { dataDir: copy });
    assert.equal(await exitOf(rotation.child), 1);
    assert.match(rotation.output(), /postgres is a copy of \S+, where PostgreSQL runs\. [^\n]+\n$/);
    assert.equal((await logIn(running)).playerId, playerId);
  } finally {
    rmSync(join(copies.path, 'copy'), { recursive: true });
    copies.remove();
  }
});

test('a server also stops a PostgreSQL that it did not start', async () => {
  assert.equal(await running.end('SIGTERM'), 0, running.output());
  assert.equal(postgresOf(dataDir), undefined);
});

/** Waits until a command has started PostgreSQL. It may have ended already, if this process had to wait for the processor. */
async function startsPostgres({ child }: CommandProcess): Promise<void> {
  while (postgresOf(dataDir) === undefined && child.exitCode === null) await sleep(5);
}

test('a command that is interrupted stops the PostgreSQL that it has started', async () => {
  const verification = spawnCommand('verify', { dataDir });
  await startsPostgres(verification);
  await verification.end('SIGINT');
  assert.match(verification.output(), /^(Interrupted\.|All \d+ rows match their hashes\.)\n$/);
  assert.equal(postgresOf(dataDir), undefined);
});

test('variables of other programs that use PostgreSQL have no effect on the embedded one', async () => {
  const env = {
    PGHOST: 'db.invalid',
    PGPORT: '1',
    PGUSER: 'somebody',
    PGPASSWORD: 'secret',
    PGDATABASE: 'other',
    PGSSLMODE: 'require',
    PGOPTIONS: '-c role=somebody',
    PGDATA: '/nonexistent',
  };
  running = await startServer({ dataDir, env });
  const backup = join(folder.path, '..', `${basename(folder.path)}-backup`);
  const copy = spawnCommand(`backup ${backup}`, { dataDir, env });
  assert.equal(await exitOf(copy.child), 0, copy.output());
  rmSync(backup, { recursive: true });
  assert.equal((await logIn(running)).playerId, playerId);
});

test('the server restarts PostgreSQL after its kill -9', async () => {
  const killed = postgresOf(dataDir);
  killPostgres(dataDir);
  while (postgresOf(dataDir) === killed || postgresOf(dataDir) === undefined) await sleep(5);
  // The readiness is up to 250 ms old, so the first one may be of the time before the kill.
  const begun = performance.now();
  while (performance.now() - begun < 250 || !(await isReady(running))) await sleep(5);
  assert.equal((await logIn(running)).playerId, playerId);
  const second = await spawnServer({ dataDir });
  assert.equal(await answersOrEnds(second), 'ends', 'the data folder is still locked');
  assert.match(second.output(), /^Another Guildhall server/);
});

/** Whether the server is ready. If not, it must return 503 with Retry-After. */
async function isReady({ url }: ServerProcess): Promise<boolean> {
  const answer = await fetch(`${url}/health/ready`);
  if (answer.status === 200) return true;
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '5');
  return false;
}

/** Lets another server take the folder of the running one while PostgreSQL is down. */
async function takeFolder(): Promise<void> {
  const first = running;
  // Otherwise it restarts PostgreSQL before the other server does.
  first.child.kill('SIGSTOP');
  killPostgres(dataDir);
  running = await startServer({ dataDir });
  const postgres = postgresOf(dataDir);
  first.child.kill('SIGCONT');
  assert.equal(await exitOf(first.child), 1);
  assert.match(
    first.output(),
    /^Another Guildhall server has taken [^\n]+ stop the other one first, or set another DATA_DIR\.\n$/m,
  );
  assert.equal(postgresOf(dataDir), postgres, 'PostgreSQL continues');
  assert.ok(await isReady(running));
}

test('a server of 1 process ends if another one takes the folder while PostgreSQL is down', takeFolder);

test('the next start recovers after kill -9 of the server and PostgreSQL', async () => {
  running.child.kill('SIGKILL');
  killPostgres(dataDir);
  running = await startServer({ dataDir, processes: 2 });
  assert.equal((await logIn(running)).playerId, playerId);
});

test('a server of 2 processes ends if another one takes the folder while PostgreSQL is down', takeFolder);

/** Prevents PostgreSQL from starting, like a full disk, until the returned function is called. */
function hinderPostgres(): () => void {
  const file = join(dataDir, 'postgres', 'PG_VERSION');
  renameSync(file, `${file}.away`);
  return () => renameSync(`${file}.away`, file);
}

test('every response is 503 while PostgreSQL cannot start, and the server recovers automatically', async () => {
  const attempts = () => running.output().match(/PostgreSQL has ended and cannot be restarted/g)?.length ?? 0;
  const allow = hinderPostgres();
  killPostgres(dataDir);
  let refused = 0;
  while (attempts() < 2 || refused < 30) {
    if (!(await isReady(running))) await assertUnavailable().then(() => refused++);
    await sleep(20);
  }
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  assert.doesNotMatch(running.output(), /^\s+at /m, 'attempts are logged without a stack trace');
  const lines = running.output().split('\n').length;
  assert.ok(lines < 60, `${lines} lines for ${refused} refused requests`);
  allow();
  while (!(await isReady(running))) await sleep(20);
  assert.equal((await logIn(running)).playerId, playerId);
});

async function assertUnavailable(): Promise<void> {
  const url = `${running.url}/api/player-auth/login`;
  const { status, headers, body } = await call('POST', url, { gameKey, body: login });
  assert.deepEqual([status, headers.get('retry-after'), body.code], [503, '5', 'unavailable']);
}

test('a server stops cleanly while PostgreSQL cannot start', async () => {
  const allow = hinderPostgres();
  killPostgres(dataDir);
  while (await isReady(running)) await sleep(5);
  assert.equal(await running.end('SIGTERM'), 0, running.output());
  assert.doesNotMatch(running.output(), /pg_ctl/);
  allow();
});

test('the next start succeeds if another process has the id of a killed PostgreSQL', async () => {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  const { uid, gid } = statSync(join(dataDir, 'postgres'));
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(process.getuid?.() === 0 && { uid, gid }) });
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [stranger.pid, ...lines.slice(1)].join('\n'));
  try {
    running = await startServer({ dataDir });
    assert.equal((await logIn(running)).playerId, playerId);
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('other users cannot access the data folder, and nobody can log in as the superuser', async () => {
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  const connectAs = async (role: string, database: string) => {
    const client = new pg.Client({
      connectionString: `postgres://${role}@localhost/${database}?host=${encodeURIComponent(join(dataDir, 'socket'))}`,
    });
    await client.connect();
    return client;
  };
  await assert.rejects(connectAs('postgres', 'guildhall'), /no pg_hba.conf entry/);
  await assert.rejects(connectAs('guildhall_app', 'guildhall'), /no pg_hba.conf entry/);
  const client = await connectAs('guildhall', 'guildhall');
  try {
    const { rows } = await client.query('SELECT rolsuper FROM pg_roles WHERE rolname = current_user');
    assert.deepEqual(rows, [{ rolsuper: false }]);
    for (const statement of [
      `SELECT pg_read_file('/etc/passwd')`,
      `COPY (SELECT 1) TO PROGRAM 'id'`,
      'ALTER ROLE guildhall SUPERUSER',
    ])
      await assert.rejects(client.query(statement), /permission denied|must be superuser/, statement);
  } finally {
    await client.end();
  }
});

test('a command whose output is closed stops the PostgreSQL that it has started', async () => {
  const socket = encodeURIComponent(join(dataDir, 'socket'));
  const client = new pg.Client({
    connectionString: `postgres://guildhall@localhost/guildhall?host=${socket}`,
  });
  await client.connect();
  // A line for each row, and one for their number.
  await client.query(`UPDATE login_ledger SET platform = 'Other'`);
  await client.end();
  assert.equal(await running.end('SIGTERM'), 0);
  const verification = spawnCommand('verify', { dataDir });
  verification.child.stdout!.destroy();
  assert.ok([1, 2].includes((await exitOf(verification.child)) as number));
  assert.match(verification.output(), /^(Interrupted: the output was closed\.\n)?$/);
  assert.equal(postgresOf(dataDir), undefined);
});

test('restarts PostgreSQL as the first process of a container, without an init process that reaps zombies', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('SKIPPED: only root makes a process namespace.');
  const port = await freePort();
  const container = spawn(
    'unshare',
    ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath, GUILDHALL, 'serve'],
    {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [container.stdout, container.stderr]) stream.on('data', (text) => (output += text));
  const answers = async () =>
    (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok === true;
  try {
    await eventually(answers, 'an answer');
    const [server = 0] = childrenOf(container.pid!);
    const inContainer = () =>
      childrenOf(server).find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres');
    const postgres = inContainer()!;
    process.kill(postgres, 'SIGKILL');
    await eventually(() => output.includes('PostgreSQL was restarted'), 'the restart');
    await eventually(answers, 'an answer after the restart');
    process.kill(server, 'SIGTERM');
    assert.equal(await exitOf(container), 0);
  } catch (cause) {
    throw new Error(`The container failed: ${output}`, { cause });
  } finally {
    container.kill('SIGKILL');
  }
});

test('a wrong master key stops the start with a sentence', async () => {
  const server = await spawnServer({ dataDir, env: { MASTER_KEY: 'ab'.repeat(32) } });
  assert.equal(await answersOrEnds(server), 'ends');
  assert.equal(await exitOf(server.child), 1);
  assert.match(server.output(), /^MASTER_KEY cannot decrypt the secrets of this database\. [^\n]+\n$/);
  const worker = spawnCommand('worker', { dataDir, env: { MASTER_KEY: 'ab'.repeat(32) } });
  assert.equal(await exitOf(worker.child), 1);
  assert.equal(worker.output(), server.output());
  assert.equal(postgresOf(dataDir), undefined, 'a start that fails stops what it started');
});

test('an invalid setting stops the start with a sentence', async () => {
  const cases: [env: Record<string, string>, sentence: RegExp][] = [
    [
      { PORT: 'eighty', SIGNUP: 'maybe' },
      /^PORT must be a whole number[^\n]+"eighty"\.\nSIGNUP must be open or closed[^\n]+\n$/,
    ],
    [
      { TRUST_PROXY: 'proxy.internal', CORS_ORIGINS: 'https://play.example/game' },
      /^TRUST_PROXY must be [^\n]+"proxy\.internal"\.\nCORS_ORIGINS must be [^\n]+"https:\/\/play\.example\/game"\.\n$/,
    ],
    [
      { DATABSE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/x' },
      /^DATABSE_URL is not a setting\. Did you mean DATABASE_URL\? Rename or unset it\.\n$/,
    ],
  ];
  await Promise.all(
    cases.map(async ([env, sentence]) => {
      const server = await spawnServer({ dataDir, env });
      assert.equal(await exitOf(server.child), 1, JSON.stringify(env));
      assert.match(server.output(), sentence);
      assert.doesNotMatch(server.output(), /hunter2/);
    }),
  );
  assert.equal(postgresOf(dataDir), undefined);
});

test('of two concurrent first starts one serves and the other exits, even for an unprivileged user', async () => {
  const user = ordinaryUser();
  const empty = dataFolder(user);
  try {
    const servers = await Promise.all([0, 1].map(() => spawnServer({ dataDir: empty.path, user })));
    const outcomes = await Promise.all(servers.map(answersOrEnds));
    assert.deepEqual(
      outcomes.toSorted(),
      ['answers', 'ends'],
      servers.map((server) => server.output()).join('---'),
    );
    const serving = servers[outcomes.indexOf('answers')]!;
    const refused = servers[outcomes.indexOf('ends')]!;
    assert.equal(await exitOf(refused.child), 1);
    assert.match(refused.output(), /^Another Guildhall server already uses [^\n]+\n$/);
    if (user) assert.equal(statSync(join(empty.path, 'postgres')).uid, user.uid);
    assert.equal(await serving.end('SIGTERM'), 0);
    assert.equal(postgresOf(empty.path), undefined);
  } finally {
    empty.remove();
  }
});

test('Ctrl-C pressed again in the terminal does not interrupt the stop', async () => {
  const server = await startServer({ dataDir, detached: true });
  const exit = exitOf(server.child);
  // A terminal signals all processes of its group. One of the signals arrives while PostgreSQL stops. After 500 ms it is a second Ctrl-C.
  for (const began = Date.now(); Date.now() - began < 100 && server.child.exitCode === null;) {
    process.kill(-server.child.pid!, 'SIGINT');
    await sleep(5);
  }
  assert.equal(await exit, 0, server.output());
  assert.equal(postgresOf(dataDir), undefined);
});

test('a server starts and stops beside a worker, and the last of them stops PostgreSQL', async () => {
  const worker = spawnCommand('worker', { dataDir });
  while (!worker.output().includes('The worker runs.')) {
    assert.equal(worker.child.exitCode, null, worker.output());
    await sleep(20);
  }
  const server = await startServer({ dataDir });
  assert.equal((await logIn(server)).playerId, playerId);
  assert.equal(await server.end('SIGTERM'), 0, server.output());
  assert.ok(postgresOf(dataDir), 'the worker still uses PostgreSQL');
  assert.equal(await worker.end('SIGTERM'), 0);
  assert.equal(worker.output(), 'The worker runs.\n');
  assert.equal(postgresOf(dataDir), undefined);
});

test('commands that create the database at the same time succeed', async () => {
  const empty = dataFolder();
  try {
    const commands = [1, 2].map(() => spawnCommand('migrate', { dataDir: empty.path }));
    for (const { child, output } of commands) assert.equal(await exitOf(child), 0, output());
    assert.equal(postgresOf(empty.path), undefined);
  } finally {
    empty.remove();
  }
});

test('SIGTERM during the start leaves nothing running', async () => {
  const server = await spawnServer({ dataDir });
  await startsPostgres(server);
  assert.equal(await server.end('SIGTERM'), 0, server.output());
  assert.equal(postgresOf(dataDir), undefined);
});

test('SIGTERM ends a start that waits for the migrations of another process', async () => {
  const postgres = await startExternalPostgres();
  const databaseUrl = postgres.url('postgres', 'postgres');
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  try {
    const env = { DATABASE_URL: databaseUrl, MASTER_KEY: 'ab'.repeat(32) };
    const starts: (() => CommandProcess | Promise<CommandProcess>)[] = [
      () => spawnServer({ dataDir, env }),
      () => spawnServer({ dataDir, env, processes: 2 }),
      () => spawnCommand('worker', { dataDir, env }),
    ];
    for (const start of starts) {
      await other.query('SELECT pg_advisory_lock($1)', [MIGRATIONS_LOCK]);
      const command = await start();
      const waits = () => other.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);
      await eventually(async () => (await waits()).rowCount === 1, 'the start waits for the lock');
      assert.equal(await command.end('SIGTERM'), 0, command.output());
      assert.equal(command.output(), 'Interrupted.\n');
      await other.query('SELECT pg_advisory_unlock_all()');
      await eventually(async () => (await waits()).rowCount === 0, 'its connection ends');
    }
    const { rows } = await other.query(`SELECT to_regclass('migrations') AS migrations`);
    assert.deepEqual(rows, [{ migrations: null }]);
  } finally {
    await other.end();
    postgres.stop();
  }
});

test('a long data folder path with spaces, quotes and commas works', async () => {
  const outer = dataFolder();
  const odd = join(outer.path, `it’s, 'an' odd ${'long '.repeat(30)}path`);
  assert.ok(odd.length > 150);
  mkdirSync(odd);
  try {
    const server = await startServer({ dataDir: odd });
    const shortcut = readFileSync(join(odd, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4] ?? '';
    assert.ok(shortcut.startsWith(tmpdir()) && existsSync(shortcut), shortcut);
    assert.equal(await server.end('SIGTERM'), 0);
    assert.equal(postgresOf(odd), undefined);
    assert.equal(existsSync(dirname(shortcut)), false, 'the link to its socket is removed');
  } finally {
    killPostgres(odd);
    outer.remove();
  }
});

test('a start creates a new database if the old one was removed', async () => {
  rmSync(join(dataDir, 'postgres'), { recursive: true });
  assert.equal(await (await startServer({ dataDir })).end('SIGTERM'), 0);
});
