import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { arrangeTenant, enableAutoCreate } from './arrange.ts';
import { eventually } from './eventually.ts';
import { accepted, signIn } from './http.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

const source = dataFolder();
const target = dataFolder();
after(() => {
  source.remove();
  target.remove();
});

/** Options of Node that set the clock of a process 100 days ahead. */
const CLOCK_AHEAD = [
  '--import',
  `data:text/javascript,
  globalThis.Date = class extends Date {
    constructor(...parts) {
      super(...(parts.length > 0 ? parts : [Date.now() + 8_640_000_000]));
    }
  };`,
];

/** Runs a command, and returns its exit code and its output. */
async function run(
  command: string,
  dataDir: string,
  env: Record<string, string> = {},
  nodeOptions: string[] = [],
) {
  const { child, output } = spawnCommand(command, { dataDir, env, nodeOptions });
  const code = await exitOf(child);
  return { code, output: output().trim() };
}

/** Returns a PATH whose tar creates a file, and waits for another one. */
function waitingTar(created: string, awaited: string): string {
  const path = process.env['PATH'] ?? '';
  const folder = join(target.path, 'bin');
  mkdirSync(folder);
  const wait = `touch '${created}'\nuntil [ -e '${awaited}' ]; do sleep 0.05; done`;
  writeFileSync(join(folder, 'tar'), `#!/bin/sh\nPATH='${path}'\n${wait}\nexec tar "$@"\n`, { mode: 0o755 });
  return `${folder}:${path}`;
}

/** A tenant with events of two months that are over. */
async function arrangeEvents(url: string): Promise<{ at: string; apiKey: string }> {
  const studio = await arrangeTenant(url);
  const { accessToken, at, gameKey } = studio;
  await enableAutoCreate(url, studio);
  const body = { name: 'data', allowDataApi: true };
  const { key: apiKey } = await accepted('POST', `${url}${at}/api-keys`, { body, bearer: accessToken });
  const player = await signIn(url, gameKey);
  const events = Array.from({ length: 20 }, (_, number) => ({
    playerId: player.playerId,
    eventKey: 'jump',
    idempotencyKey: String(number),
    occurredAt: `2020-0${(number % 2) + 1}-0${(number % 9) + 1}T10:00:00Z`,
    value: number,
  }));
  const batch = { gameKey, bearer: player.accessToken, body: { events } };
  await accepted('POST', `${url}/api/game/player-events`, batch);
  return { at, apiKey };
}

describe('guildhall backup and restore with archived events', () => {
  const backup = join(target.path, 'backup');
  const restored = join(target.path, 'restored');
  let env: Record<string, string> = {};
  let tenant = { at: '', apiKey: '' };
  let before = '';

  /** The export of all events of the tenant. */
  const exportFrom = (url: string): Promise<string> =>
    accepted(
      'GET',
      `${url}${tenant.at}/events/export?scope=player&format=ndjson`,
      { headers: { 'x-api-key': tenant.apiKey } },
      200,
    );

  test('include the archive, and verify it', async () => {
    const server = await startServer({ dataDir: source.path });
    tenant = await arrangeEvents(server.url);
    before = await exportFrom(server.url);
    assert.equal(before.trim().split('\n').length, 20);
    for (const command of ['archive create', 'archive create --before 2020-03']) {
      const refused = await run(command, source.path, {}, CLOCK_AHEAD);
      assert.equal(refused.code, 1);
      assert.match(
        refused.output,
        /^The clock of this machine is \d+ days ahead .+, so nothing is archived\./,
      );
    }
    const archived = await run('archive create', source.path);
    assert.match(archived.output, /Archived 20 events .+: 2 parts/);
    const packing = join(target.path, 'packing');
    const mayPack = join(target.path, 'may-pack');
    const writing = run(`backup ${backup}`, source.path, { PATH: waitingTar(packing, mayPack) });
    await eventually(() => existsSync(packing), 'the backup packs the files');
    for (const refused of await Promise.all([
      run('archive create', source.path),
      run(`backup ${join(target.path, 'second')}`, source.path),
    ])) {
      assert.equal(refused.code, 1, refused.output);
      assert.match(
        refused.output,
        /^Another process archives events, .+ or makes a backup\. Try again later\.$/,
      );
    }
    writeFileSync(mayPack, '');
    const written = await writing;
    assert.equal(written.code, 0, written.output);
    assert.equal(await server.end('SIGTERM'), 0);
    env = { MASTER_KEY: readFileSync(join(source.path, 'master.key'), 'utf8').trim() };

    const { code, output } = await run(`restore ${backup}`, restored, env);
    assert.equal(code, 0, output);
    assert.match(output, /All \d+ rows match their hashes/);
    assert.match((await run('archive verify', restored, env)).output, /^All 20 archived events match/m);
    const again = await startServer({ dataDir: restored, env });
    assert.equal(await exportFrom(again.url), before);
    assert.equal(await again.end('SIGTERM'), 0);
  });

  test('name each altered and each missing file', async () => {
    const archive = join(restored, 'archive');
    const [folder = ''] = readdirSync(archive, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('part-1'))
      .map((name) => join(archive, name));
    appendFileSync(join(folder, 'proofs.parquet'), ' ');
    const { code, output } = await run('verify', restored, env);
    assert.equal(code, 2, output);
    assert.match(output, /has a file proofs\.parquet that does not match its checksum/);
    renameSync(join(folder, 'events.parquet'), join(folder, 'elsewhere'));
    assert.match((await run('archive verify', restored, env)).output, /has no events\.parquet/);
  });

  test('name the folders of tenants that the database does not know', async (context) => {
    const stranger = '0190a0a0-0000-7000-8000-000000000001';
    const folder = join(restored, 'archive', stranger);
    mkdirSync(join(folder, 'player/2020-01/part-9'), { recursive: true });
    context.after(() => rmSync(folder, { recursive: true }));
    for (const command of ['archive verify', 'verify']) {
      const { code, output } = await run(command, restored, env);
      assert.equal(code, 2, output);
      assert.ok(output.includes(`archive player/2020-01/part-9 of tenant ${stranger} is no part`), output);
    }
  });

  test('keep what a restore finds altered, and refuse a backup whose archive was altered', async () => {
    // The restored folder is damaged, so its backup is too.
    const damaged = join(target.path, 'damaged');
    assert.equal((await run(`backup ${damaged}`, restored, env)).code, 0);
    const elsewhere = join(target.path, 'elsewhere');
    const found = await run(`restore ${damaged}`, elsewhere, env);
    assert.equal(found.code, 2, found.output);
    assert.match(
      found.output,
      /has no events\.parquet\nRestored \S+elsewhere, but 1 of \d+ rows do not match their hashes\. .+ Start the server, or /,
    );
    assert.deepEqual(readdirSync(elsewhere).toSorted(), ['archive', 'avatars', 'postgres']);

    appendFileSync(join(backup, 'archived-events.tar.zst'), ' ');
    mkdirSync(join(target.path, 'new'));
    const refused = await run(`restore ${backup}`, join(target.path, 'new'), env);
    assert.equal(refused.code, 1, refused.output);
    assert.match(refused.output, /archived-events\.tar\.zst is missing or damaged: its SHA-256/);
  });
});
