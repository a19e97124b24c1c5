import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { call, type Answer, type RequestParts } from './http.ts';
import { dataFolder, exitOf, ordinaryUser, postgresOf } from './server-process.ts';

/**
 * The first week of an operator: install, supervise, back up under load, kill, restore elsewhere, verify, upgrade, roll back. Players
 * play all the time, and nothing that was acknowledged is lost. `npm run test:week` plays for 20 minutes.
 */
const LONG = process.env['GUILDHALL_LONG_WEEK'] === 'on';
/** How long the players play in each of the seven days, at least. */
const PLAY_MS = LONG ? 150_000 : 500;
const KILLS = LONG ? 20 : 2;
const CLIENTS = 4;
/** The pause of a player after each batch. Without it, the players take one of two processors all the week. */
const PAUSE_MS = LONG ? 0 : 100;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const user = ordinaryUser();
const folder = dataFolder(user);
const elsewhere = dataFolder(user);
const dataDir = join(folder.path, 'data');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;

const units = new Set<{ kill(): void }>();
after(() => {
  for (const unit of units) unit.kill();
  for (const { path, remove } of [folder, elsewhere]) {
    const postgres = postgresOf(join(path, 'data'));
    if (postgres !== undefined) process.kill(postgres, 'SIGKILL');
    remove();
  }
});

/** Installs a version into a folder that its user cannot change. */
function install(
  path: string,
  { version, migration }: { version?: string; migration?: string } = {},
): string {
  mkdirSync(join(path, 'server'), { recursive: true });
  for (const part of [
    'package.json',
    'server/package.json',
    'server/migrations',
    'server/contracts',
    'server/src',
    'server/node-options.ts',
    'server/built-programs.ts',
    'server/build.ts',
  ])
    cpSync(join(ROOT, part), join(path, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  const manifest = join(path, 'package.json');
  if (version)
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace(/"version": ".*"/, `"version": "${version}"`),
    );
  if (migration) writeFileSync(join(path, 'server/migrations/9999_next_version.sql'), migration);
  execFileSync(process.execPath, [join(path, 'server/build.ts')]);
  chmodSync(path, 0o755);
  return path;
}

const environment = (own: Record<string, string>) => ({
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
  // The folder of the other tests belongs to root.
  NODE_COMPILE_CACHE: join(folder.path, 'compiled'),
  NODE_ENV: 'production',
  GUILDHALL_DEMO: 'off',
  MOCK_PROVIDER: 'on',
  LOG_LEVEL: 'warn',
  PORT: String(port),
  ...own,
});

/** Runs the unit of deploy/systemd as systemd does: without a shell, and again 2 seconds after a failure. */
function startUnit(installation: string, own: Record<string, string> = { DATA_DIR: dataDir }) {
  const unit = readFileSync(join(ROOT, 'deploy/systemd/guildhall.service'), 'utf8');
  const [, ...command] = /^ExecStart=(.+)$/m.exec(unit)![1]!.split(' ');
  const restartMs = Number(/^RestartSec=(\d+)$/m.exec(unit)![1]) * 1000;
  assert.match(unit, /^Restart=on-failure$/m);
  let main: ChildProcess;
  let output = '';
  let isStopping = false;
  const start = (): void => {
    main = spawn(process.execPath, command, {
      cwd: installation,
      env: environment(own),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    for (const stream of [main.stdout!, main.stderr!]) stream.on('data', (text) => (output += text));
    main.once('exit', (code) => {
      if (!isStopping && code !== 0) setTimeout(() => !isStopping && start(), restartMs);
    });
  };
  start();
  const handle = {
    output: () => output,
    /** The process that systemd knows. */
    pid: () => main.pid!,
    async stop() {
      isStopping = true;
      main.kill('SIGTERM');
      const code = await exitOf(main);
      units.delete(handle);
      return code;
    },
    kill() {
      isStopping = true;
      main.kill('SIGKILL');
    },
  };
  units.add(handle);
  return handle;
}

/** Runs a command of an installation as its user. */
async function guildhall(installation: string, command: string, own: Record<string, string>) {
  const child = spawn(process.execPath, ['server/dist/guildhall.js', ...command.split(' ')], {
    cwd: installation,
    env: environment(own),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const code = await exitOf(child);
  assert.equal(code, 0, output);
  return output;
}

const isReady = async (): Promise<boolean> =>
  (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true;

/** Events and sessions that the server has acknowledged. */
interface Acknowledged {
  events: string[];
  sessions: string[];
}

/** Players who sign in, and send each batch again until it is stored. */
function play(gameKey: string) {
  const acknowledged: Acknowledged = { events: [], sessions: [] };
  const refused: string[] = [];
  let isOver = false;
  /** Sends a request until it has an answer that is not the server's fault. */
  const send = async (path: string, parts: RequestParts): Promise<Answer> => {
    while (true) {
      const answer = await call('POST', url + path, { ...parts, gameKey }).catch(() => undefined);
      if (answer && answer.status < 500) return answer;
      await sleep(50);
    }
  };
  const client = async (name: string): Promise<void> => {
    for (let number = 0; !isOver; number++) {
      const body = { provider: 'Mock', token: `mock:${name}:secret` };
      const login = await send('/api/player-auth/login', { body });
      const { accessToken, playerId, sessionId } = login.body;
      if (login.status !== 200) return void refused.push(`login ${login.status}`);
      acknowledged.sessions.push(sessionId);
      const keys = Array.from(
        { length: [1, 30, 200][number % 3]! },
        (_, index) => `${name}-${number}-${index}`,
      );
      const occurredAt = new Date().toISOString();
      const events = keys.map((idempotencyKey) => ({
        playerId,
        eventKey: 'played',
        idempotencyKey,
        occurredAt,
      }));
      const stored = await send('/api/game/player-events', { bearer: accessToken, body: { events } });
      const { duplicateCount = 0, errors = [] } = stored.body;
      const isRepeated = stored.status === 422 && duplicateCount === keys.length && errors.length === 0;
      if (stored.status !== 201 && !isRepeated) return void refused.push(`events ${stored.status}`);
      acknowledged.events.push(...keys);
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(`player-${number}`)));
  return {
    acknowledged,
    refused,
    /** Returns the work that is acknowledged until now. */
    soFar: (): Acknowledged => ({
      events: [...acknowledged.events],
      sessions: [...acknowledged.sessions],
    }),
    /** Waits until the players have played on. */
    async more(playMs = PLAY_MS) {
      const { events, sessions } = acknowledged;
      const goal = { events: events.length + 200, sessions: sessions.length + CLIENTS };
      await sleep(playMs);
      await eventually(
        () => refused.length > 0 || (events.length >= goal.events && sessions.length >= goal.sessions),
      );
      assert.deepEqual(refused, []);
    },
    async stop() {
      isOver = true;
      await running;
      assert.deepEqual(refused, []);
    },
  };
}

/** The acknowledged events and sessions that a database does not have. Fails if it has one twice. */
async function missing(database: string, { events, sessions }: Acknowledged): Promise<string[]> {
  const client = new pg.Client({ host: join(database, 'socket'), user: 'guildhall', database: 'guildhall' });
  await client.connect();
  try {
    const valuesOf = async (statement: string) =>
      (await client.query<{ value: string }>(statement)).rows.map(({ value }) => value);
    const stored = await valuesOf('SELECT idempotency_key AS value FROM player_events');
    const written = await valuesOf(
      'SELECT ledger.session_id AS value FROM login_ledger ledger JOIN login_sessions USING (tenant_id, session_id)',
    );
    for (const values of [stored, written])
      assert.equal(new Set(values).size, values.length, 'nothing is stored twice');
    const known = new Set([...stored, ...written]);
    return [...events, ...sessions].filter((value) => !known.has(value));
  } finally {
    await client.end();
  }
}

describe(`the first week of an operator (${LONG ? 'long' : 'short'})`, { concurrency: false }, () => {
  const backup = join(elsewhere.path, 'backup');
  let version1 = '';
  let unit: ReturnType<typeof startUnit>;
  let players: ReturnType<typeof play>;
  let saved: Acknowledged;
  const timeout = LONG ? 1_800_000 : 600_000;

  test('Monday: an ordinary user installs it, and players come', { timeout }, async () => {
    version1 = install(join(folder.path, 'version-1'));
    unit = startUnit(version1);
    await eventually(isReady);
    await guildhall(version1, 'bootstrap --email operator@studio.example', { DATA_DIR: dataDir });
    const { gameKey } = await arrangeTenant(url);
    const client = new pg.Client({ host: join(dataDir, 'socket'), user: 'guildhall', database: 'guildhall' });
    await client.connect();
    await client.query('UPDATE tenants SET auto_create_definitions = true');
    await client.end();
    players = play(gameKey);
    await players.more();
  });

  test('Tuesday: the server is backed up under load', { timeout }, async () => {
    saved = players.soFar();
    await guildhall(version1, `backup ${backup}`, { DATA_DIR: dataDir });
    await players.more();
  });

  test('Wednesday: processes are killed, and come back', { timeout }, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const postgres = postgresOf(dataDir);
      if (kill % 2 === 0 && postgres !== undefined) process.kill(postgres, 'SIGKILL');
      process.kill(unit.pid(), 'SIGKILL');
      await players.more(PLAY_MS / KILLS);
    }
    assert.deepEqual(await missing(dataDir, players.soFar()), []);
    assert.deepEqual(await missing(dataDir, { events: ['never sent'], sessions: [] }), ['never sent']);
  });

  test('Thursday: the backup is restored elsewhere', { timeout }, async () => {
    const data = join(elsewhere.path, 'data');
    const own = { DATA_DIR: data, MASTER_KEY: readFileSync(join(dataDir, 'master.key'), 'utf8').trim() };
    assert.match(await guildhall(version1, `restore ${backup}`, own), /All \d+ rows match their hashes/);
    const otherPort = await freePort();
    const restored = startUnit(version1, { ...own, PORT: String(otherPort) });
    const answers = async () =>
      (await fetch(`http://127.0.0.1:${otherPort}/health/ready`).catch(() => undefined))?.ok === true;
    await eventually(answers);
    assert.deepEqual(await missing(data, saved), []);
    assert.equal(await restored.stop(), 0, restored.output());
    await players.more();
  });

  test('Friday: each row is verified, while players play', { timeout }, async () => {
    const output = await guildhall(version1, 'verify', { DATA_DIR: dataDir });
    assert.match(output, /^All \d+ rows match their hashes\.$/m);
    await players.more();
  });

  /** Stops the running version in order, and starts another one on the same data. */
  async function replaceBy(installation: string, version: string): Promise<void> {
    assert.equal(await unit.stop(), 0, unit.output());
    unit = startUnit(installation);
    await eventually(isReady);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.ok(metrics.includes(`guildhall_build_info{version="${version}"`), version);
    await players.more();
    assert.deepEqual(await missing(dataDir, players.soFar()), []);
  }

  test('Saturday: the server is upgraded with a migration', { timeout }, async () => {
    const migration = `
      ALTER TABLE players ADD COLUMN of_next_version text;
      CREATE TABLE of_next_version (id uuid PRIMARY KEY);`;
    await replaceBy(install(join(folder.path, 'version-2'), { version: '9.9.9', migration }), '9.9.9');
  });

  test(
    'Sunday: the server is rolled back to the old version on the migrated database',
    { timeout },
    async () => {
      const { version } = JSON.parse(readFileSync(join(version1, 'package.json'), 'utf8')) as {
        version: string;
      };
      await replaceBy(version1, version);
      await players.stop();
      assert.deepEqual(await missing(dataDir, players.acknowledged), []);
      assert.match(await guildhall(version1, 'verify', { DATA_DIR: dataDir }), /^All \d+ rows match/m);
      assert.equal(await unit.stop(), 0, unit.output());
      assert.equal(postgresOf(dataDir), undefined);
    },
  );
});
