import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { accepted, signIn } from './http.ts';
import {
  crash,
  dataFolder,
  exitOf,
  postgresOf,
  spawnCommand,
  spawnServer,
  startServer,
  type ServerProcess,
} from './server-process.ts';

const source = dataFolder();
const target = dataFolder();
const backup = join(target.path, 'backup');
const restored = join(target.path, 'restored');
after(() => {
  source.remove();
  target.remove();
});

/** Runs a command, and returns its exit code and its output. */
async function run(command: string, dataDir: string, env: Record<string, string> = {}) {
  const process = spawnCommand(command, { dataDir, env });
  const code = await exitOf(process.child);
  return { code, output: process.output().trim() };
}

/** Signs players in, one at a time, until `stop`. Returns the acknowledged ones. */
function signInPlayers({ url }: ServerProcess, gameKey: string) {
  const acknowledged: string[] = [];
  let stopping = false;
  const loop = async () => {
    while (!stopping) {
      const name = `player-${acknowledged.length}`;
      const answer = await signIn(url, gameKey, name).catch(() => undefined);
      if (answer) acknowledged.push(name);
    }
  };
  const running = loop();
  return {
    acknowledged,
    async stop() {
      stopping = true;
      await running;
    },
  };
}

/** Writes and removes avatars until `stop`, faster than an archive reads their folder. */
function changeAvatars(folder: string) {
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < 3_000; number++) writeFileSync(join(folder, `${number}.webp`), 'an avatar');
  let stopping = false;
  const loop = async () => {
    for (let number = 0; !stopping; number++) {
      writeFileSync(join(folder, `new-${number}.webp`), 'a new avatar');
      rmSync(join(folder, `${number}.webp`), { force: true });
      await sleep(2);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping = true;
      await running;
    },
  };
}

/** Removes the lines of progress, which a command prints after ten seconds. */
const withoutProgress = (output: string): string =>
  output.replaceAll(/^(Wrote|Checked|Unpacked) \d+ (of \d+ )?MB( of the backup)?\.\n/gm, '');

/** Returns a PATH whose tar runs a line of the shell first: a pause, so that a signal comes before it has finished. */
function tarAfter(line: string): string {
  const path = process.env['PATH'] ?? '';
  const folder = join(target.path, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tar'), `#!/bin/sh\nPATH='${path}'\n${line}\nexec tar "$@"\n`, {
    mode: 0o755,
  });
  return `${folder}:${path}`;
}

/** Returns a PATH with links to the programs of this one, except tar. */
function pathWithoutTar(): string {
  const folder = join(target.path, 'without-tar-bin');
  mkdirSync(folder);
  for (const programs of (process.env['PATH'] ?? '').split(':'))
    for (const name of existsSync(programs) ? readdirSync(programs) : [])
      if (name !== 'tar' && !existsSync(join(folder, name)))
        symlinkSync(join(programs, name), join(folder, name));
  return folder;
}

const isUnpacking = (dataDir: string): boolean => existsSync(dataDir) && readdirSync(dataDir).length > 0;
const isVerifying = (dataDir: string): boolean => postgresOf(join(dataDir, 'restoring')) !== undefined;

/** The addresses of a player's sign-ins, newest first. */
async function addressesOf(url: string, accessToken: string): Promise<(string | null)[]> {
  const { sessions } = await accepted(
    'GET',
    `${url}/api/player/sessions/history`,
    { bearer: accessToken },
    200,
  );
  return sessions.map(({ ipAddress }: { ipAddress: string | null }) => ipAddress);
}

describe('guildhall backup and restore', () => {
  let gameKey = '';
  let masterKey = '';
  let before: string[] = [];

  test('copies a server under load, and loses nothing that was acknowledged before', async () => {
    const server = await startServer({ dataDir: source.path });
    ({ gameKey } = await arrangeTenant(server.url));
    const load = signInPlayers(server, gameKey);
    while (load.acknowledged.length < 50) await sleep(20);
    const avatars = join(source.path, 'avatars');
    const changes = changeAvatars(avatars);
    writeFileSync(join(avatars, 'ada.webp'), 'an avatar');
    before = [...load.acknowledged];

    const { code, output } = await run(`backup ${backup}`, source.path, { PATH: tarAfter('sleep 11') });
    await changes.stop();
    assert.equal(code, 0, output);
    const sizes = readdirSync(backup)
      .filter((name) => name.endsWith('.zst'))
      .map((name) => statSync(join(backup, name)).size);
    const megabytes = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1_000_000);
    assert.match(output, /^Wrote [1-9]\d* MB\.\n/, 'it shows its progress');
    assert.match(output, new RegExp(`^Wrote ${megabytes} MB to .+ save it in another place\\.$`, 'm'));
    assert.ok(load.acknowledged.length > before.length, 'the server answers during the backup');
    assert.equal(statSync(join(backup, 'postgres.tar.zst')).mode & 0o777, 0o600);
    masterKey = readFileSync(join(source.path, 'master.key'), 'utf8').trim();
    await crash(server, source.path);
    await load.stop();

    assert.match(
      (await run(`backup ${backup}`, source.path)).output,
      /exists already\. Name a new folder\.$/,
    );
  });

  test('refuses a restore that cannot succeed, and changes nothing', async () => {
    const refused = async (folder: string, dataDir: string, env: Record<string, string> = {}) => {
      const { code, output } = await run(`restore ${folder}`, dataDir, env);
      assert.equal(code, 1, output);
      const refusal = withoutProgress(output);
      assert.equal(refusal.split('\n').length, 1, output);
      return refusal;
    };
    const env = { MASTER_KEY: masterKey };
    assert.match(await refused(backup, source.path), /^DATA_DIR .+ is not empty\./);
    assert.match(await refused(backup, restored), /^The backup has no master key\. Set MASTER_KEY, or copy/);
    for (const settings of [env, {}])
      assert.match(await refused(target.path, restored, settings), /contains no complete backup/);

    const damaged = join(target.path, 'damaged');
    cpSync(backup, damaged, { recursive: true });
    const archive = join(damaged, 'postgres.tar.zst');
    const bytes = readFileSync(archive);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(archive, bytes);
    assert.match(await refused(damaged, restored, env), /is missing or damaged: its SHA-256/);
    const manifest = readFileSync(join(backup, 'backup.json'), 'utf8');
    for (const half of [manifest.slice(0, 60), '', 'null', '{"format":1,"sha256":{}}']) {
      writeFileSync(join(damaged, 'backup.json'), half);
      assert.match(await refused(damaged, restored, env), /backup\.json is damaged\. Use another backup\.$/);
    }
    assert.equal(existsSync(restored), false);

    const used = join(target.path, 'used');
    mkdirSync(used);
    writeFileSync(join(used, 'other.webp'), '');
    const elsewhere = { ...env, AVATAR_STORAGE_URL: pathToFileURL(used).href };
    assert.match(await refused(backup, restored, elsewhere), /^The folder .+used is not empty\./);
    assert.equal(existsSync(restored), false);

    const unwritable = join(target.path, 'unwritable');
    const missing = { ...env, AVATAR_STORAGE_URL: 'file:///proc/guildhall/avatars' };
    assert.match(
      await refused(backup, unwritable, missing),
      /^AVATAR_STORAGE_URL is \/proc\/guildhall\/avatars, which cannot be used \(ENOENT/,
    );
    assert.deepEqual(readdirSync(unwritable), [], 'nothing was unpacked');

    const wrongKey = join(target.path, 'wrong-key');
    assert.match(
      await refused(backup, wrongKey, { MASTER_KEY: 'ab'.repeat(32) }),
      /^MASTER_KEY cannot decrypt/,
    );
    assert.equal(postgresOf(wrongKey), undefined);
    assert.deepEqual(readdirSync(wrongKey), [], 'the restore can be tried again');
  });

  test('leaves no files if it is interrupted', async () => {
    const env = { MASTER_KEY: masterKey, PATH: tarAfter('sleep 2') };
    const interrupt = async (command: string, dataDir: string, begun: () => boolean) => {
      const running = spawnCommand(command, { dataDir, env });
      while (!begun()) {
        assert.equal(running.child.exitCode, null, running.output());
        await sleep(5);
      }
      assert.equal(await running.end('SIGINT'), 1);
      assert.equal(withoutProgress(running.output()), 'Interrupted.\n');
      assert.equal(postgresOf(dataDir), undefined);
    };
    const partial = () => readdirSync(target.path).some((name) => name.startsWith('interrupted.partial'));
    await interrupt(`backup ${join(target.path, 'interrupted')}`, source.path, partial);
    assert.equal(partial(), false);

    const dataDir = join(target.path, 'interrupted-restore');
    for (const begun of [isUnpacking, isVerifying]) {
      await interrupt(`restore ${backup}`, dataDir, () => begun(dataDir));
      assert.deepEqual(readdirSync(dataDir), []);
    }
  });

  test('leaves no files if the restored database cannot be moved to its folder', async () => {
    const dataDir = join(target.path, 'not-moved');
    const avatars = join(target.path, 'not-moved-avatars');
    mkdirSync(avatars);
    const env = {
      MASTER_KEY: masterKey,
      AVATAR_STORAGE_URL: pathToFileURL(avatars).href,
      PATH: tarAfter('sleep 2'),
    };
    const restore = spawnCommand(`restore ${backup}`, { dataDir, env });
    await eventually(() => isUnpacking(dataDir), 'the restore unpacks');
    mkdirSync(join(dataDir, 'postgres'));
    writeFileSync(join(dataDir, 'postgres', 'old'), 'old data');
    assert.equal(await exitOf(restore.child), 1);
    assert.match(
      withoutProgress(restore.output()),
      /^Another process has created a database in DATA_DIR [^\n]+\n$/,
    );
    assert.deepEqual(readdirSync(avatars), []);
    assert.deepEqual(readdirSync(dataDir, { recursive: true }), ['postgres', 'postgres/old']);
  });

  test('refuses a folder that it copies, because the next backup would contain this one', async () => {
    for (const folder of ['postgres/..new', 'avatars/new', 'archive/new']) {
      const { code, output } = await run(`backup ${join(source.path, folder)}`, source.path);
      assert.equal(code, 1, output);
      assert.match(output, /^\S+ is in \S+, which the backup copies\. Name a folder elsewhere\.$/);
    }
  });

  test('names a folder that cannot be written', async () => {
    const file = join(target.path, 'file');
    writeFileSync(file, '');
    assert.match(
      (await run(`backup ${join(file, 'below')}`, source.path)).output,
      /^The backup could not be written to \S+ \(ENOTDIR[^\n]+$/,
    );
  });

  test('says that tar is missing', async () => {
    const env = { MASTER_KEY: masterKey, PATH: pathWithoutTar() };
    const missing =
      /^A backup needs the program tar, which cannot be started \(spawn tar ENOENT\)\. Install it\.$/;
    const dataDir = join(target.path, 'without-tar');
    assert.match(withoutProgress((await run(`restore ${backup}`, dataDir, env)).output), missing);
    assert.deepEqual(readdirSync(dataDir), []);
    const copied = await run(`backup ${join(target.path, 'without-tar-backup')}`, source.path, env);
    assert.match(withoutProgress(copied.output), missing);
  });

  test('says that PostgreSQL has ended while the files are packed', async () => {
    const pidFile = join(source.path, 'postgres', 'postmaster.pid');
    const endPostgres = `while [ -e ${pidFile} ]; do kill -QUIT $(head -n 1 ${pidFile}); sleep 0.2; done 2>/dev/null`;
    const { code, output } = await run(`backup ${join(target.path, 'without-postgres')}`, source.path, {
      PATH: tarAfter(endPostgres),
    });
    assert.equal(code, 1, output);
    assert.match(output, /^PostgreSQL is not available: connect E[^\n]+$/);
  });

  test('fails if tar cannot read a file', async () => {
    const path = process.env['PATH'] ?? '';
    const folder = join(target.path, 'failing-tar-bin');
    mkdirSync(folder);
    const tar = `#!/bin/sh\nPATH='${path}' tar "$@"\ncase "$1" in --version) ;; *) exit 2 ;; esac\n`;
    writeFileSync(join(folder, 'tar'), tar, { mode: 0o755 });
    const incomplete = join(target.path, 'incomplete');
    const { code, output } = await run(`backup ${incomplete}`, source.path, { PATH: `${folder}:${path}` });
    assert.equal(code, 1, output);
    assert.match(
      output,
      /^(Wrote \d+ MB\.\n)*The files in \S+avatars cannot be read \(tar ended with 2\)\.$/,
    );
    assert.equal(existsSync(incomplete), false);
  });

  test('restores elsewhere, verifies each row, and serves the players', async () => {
    // Mount points of volumes exist.
    const avatars = join(target.path, 'avatars');
    for (const mounted of [restored, avatars]) mkdirSync(join(mounted, 'lost+found'), { recursive: true });
    const env = { MASTER_KEY: masterKey, AVATAR_STORAGE_URL: pathToFileURL(avatars).href };
    const { code, output } = await run(`restore ${backup}`, restored, env);
    assert.equal(code, 0, output);
    const rows = Number(
      /^Restored .+ All (\d+) rows match their hashes\. Start the server\.$/m.exec(output)?.[1],
    );
    assert.ok(rows >= before.length, output);
    assert.equal(postgresOf(restored), undefined);
    assert.equal(readFileSync(join(avatars, 'ada.webp'), 'utf8'), 'an avatar');

    const keyless = await spawnServer({ dataDir: restored });
    assert.equal(await exitOf(keyless.child), 1);
    assert.match(
      keyless.output(),
      /^The secrets of the database need its master key\. Set MASTER_KEY, or copy/,
    );
    assert.equal(existsSync(join(restored, 'master.key')), false);

    const server = await startServer({ dataDir: restored, env });
    for (const name of [before[0]!, before.at(-1)!]) {
      const { isNewPlayer, accessToken } = await signIn(server.url, gameKey, name);
      assert.equal(isNewPlayer, false, name);
      const addresses = await addressesOf(server.url, accessToken);
      assert.deepEqual(addresses, ['127.0.0.1', '127.0.0.1'], 'the master key opens what was restored');
    }
    assert.equal((await signIn(server.url, gameKey, 'a new player')).isNewPlayer, true);
    assert.equal(await server.end('SIGTERM'), 0);
  });

  test('lets one of two restores to a folder succeed', async () => {
    const dataDir = join(target.path, 'restored-once');
    const env = { MASTER_KEY: masterKey };
    const runs = await Promise.all([1, 2].map(() => run(`restore ${backup}`, dataDir, env)));
    const [restored, refused] = runs.toSorted((one, other) => Number(one.code) - Number(other.code));
    assert.equal(restored!.code, 0, restored!.output);
    assert.equal(refused!.code, 1, refused!.output);
    assert.match(refused!.output, /^(A restore writes to DATA_DIR|DATA_DIR \S+ is not empty\.).+$/);
  });

  test('refuses a database of DATABASE_URL', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/x', MASTER_KEY: 'ab'.repeat(32) };
    for (const command of ['backup', 'restore'])
      assert.match((await run(`${command} ${backup}`, source.path, env)).output, /^DATABASE_URL is set, and/);
  });
});
