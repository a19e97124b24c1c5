import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GUILDHALL, SUPERVISOR } from '../built-programs.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { childrenOf, dataFolder, exitOf, postgresOf } from './server-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Raises the limit as far as the system allows. */
const ALLOW_CORE_FILES = 'ulimit -S -c unlimited 2>/dev/null || ulimit -S -c "$(ulimit -H -c)"';

const folder = dataFolder();
const dataDir = folder.path;
after(() => folder.remove());

/** Runs `npm start` like an operator, in a shell that allows core files. */
async function npmStart(env: Record<string, string> = {}, processes = 1, node?: string) {
  const port = await freePort();
  const start = node ? `${node} ${SUPERVISOR}` : 'npm start --silent --';
  const command = `${ALLOW_CORE_FILES}; exec ${start} --processes ${processes}`;
  const npm = spawn('sh', ['-c', command], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'error',
      GUILDHALL_DEMO: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  npm.stdout.on('data', (text) => (output += text));
  npm.stderr.on('data', (text) => (output += text));
  after(() => {
    for (const pid of [npm.pid!, ...descendantsOf(npm.pid!)]) kill(pid);
  });
  const answers = async () =>
    (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok === true;
  /** Finds the process of a program. */
  const processOf = (program: string) =>
    descendantsOf(npm.pid!).find((pid) =>
      commandOf(pid).some((part) => join(ROOT, part) === program || part === program),
    );
  return { npm, output: () => output, answers, processOf };
}

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

function isAlive(pid: number): boolean {
  return commandOf(pid).length > 1;
}

describe('npm start', () => {
  test('restarts a killed server on the same PostgreSQL, and stops both on SIGTERM', async () => {
    const { npm, output, answers, processOf } = await npmStart();
    await eventually(answers, 'a first answer');
    const postgres = postgresOf(dataDir);
    const first = processOf(GUILDHALL)!;
    process.kill(first, 'SIGKILL');
    await eventually(() => ![undefined, first].includes(processOf(GUILDHALL)), 'another server');
    await eventually(answers, 'an answer after the restart');
    assert.equal(postgresOf(dataDir), postgres);
    assert.match(output(), /^The server was ended by SIGKILL\. It starts again in 1 s\.$/m);
    assert.ok(commandOf(processOf(GUILDHALL)!).includes('--max-old-space-size=768'));

    const second = processOf(GUILDHALL)!;
    npm.kill('SIGTERM');
    await exitOf(npm);
    await eventually(() => !isAlive(second), 'the end of the server');
    assert.equal(postgresOf(dataDir), undefined);
    assert.equal(output().match(/starts again/g)?.length, 1);
  });

  test('restarts a server that does not respond for 30 seconds', async () => {
    const { npm, output, answers, processOf } = await npmStart();
    await eventually(answers, 'a first answer');
    process.kill(processOf(GUILDHALL)!, 'SIGSTOP');
    await eventually(() => output().includes('starts again'), 'the notice of a restart');
    await eventually(answers, 'an answer after the restart');
    assert.match(output(), /^The server has not responded for 30 s\.\nThe server was ended by SIGKILL\. /m);
    npm.kill('SIGTERM');
    await exitOf(npm);
  });

  test('stops PostgreSQL if SIGTERM arrives between a crash and the restart', async () => {
    const { npm, answers, processOf, output } = await npmStart();
    await eventually(answers, 'a first answer');
    process.kill(processOf(GUILDHALL)!, 'SIGKILL');
    await eventually(() => output().includes('starts again'), 'the notice of a restart');
    npm.kill('SIGTERM');
    await exitOf(npm);
    await eventually(() => postgresOf(dataDir) === undefined, 'the end of PostgreSQL');
    assert.equal(await answers(), false);
  });

  for (const moment of ['during its start', 'after its start'])
    test(`stops the server if the supervisor is killed ${moment}`, async () => {
      const { answers, processOf } = await npmStart();
      // After a failed test, another PostgreSQL may run.
      const runs = () => postgresOf(dataDir) !== undefined && processOf(GUILDHALL) !== undefined;
      await eventually(moment === 'during its start' ? runs : answers, 'the moment');
      const server = processOf(GUILDHALL)!;
      process.kill(processOf(SUPERVISOR)!, 'SIGKILL');
      await eventually(() => postgresOf(dataDir) === undefined, 'the end of PostgreSQL');
      // Until then, it locks the data folder for the next test.
      await eventually(() => !isAlive(server), 'the end of the server');
    });

  test('tries again if the server cannot be started, because an update replaces the file of Node', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'guildhall-node-'));
    after(() => rmSync(bin, { recursive: true }));
    const node = join(bin, 'node');
    copyFileSync(process.execPath, node);
    const { npm, output, answers, processOf } = await npmStart({}, 1, node);
    await eventually(answers, 'a first answer');
    renameSync(node, `${node}.new`);
    process.kill(processOf(GUILDHALL)!, 'SIGKILL');
    await eventually(() => output().includes('The server was not created (spawn '), 'an attempt');
    renameSync(`${node}.new`, node);
    await eventually(answers, 'an answer after the update');
    npm.kill('SIGTERM');
    await exitOf(npm);
  });

  test('writes no core file when the server crashes, because its memory holds keys', async (t) => {
    // The control: whether this system writes core files to the working folder at all.
    const crashed = mkdtempSync(join(tmpdir(), 'guildhall-core-'));
    after(() => rmSync(crashed, { recursive: true }));
    const control = spawn('sh', ['-c', `${ALLOW_CORE_FILES}; kill -SEGV $$`], {
      cwd: crashed,
      stdio: 'ignore',
    });
    assert.equal(await exitOf(control), 'SIGSEGV');
    const writesCoreFiles = readdirSync(crashed).length > 0;
    t.diagnostic(
      writesCoreFiles
        ? 'a program without the limit left a core file'
        : 'this system writes no core files to the working folder, so only the limits are checked',
    );

    const { npm, output, answers, processOf } = await npmStart();
    await eventually(answers, 'a first answer');
    const server = processOf(GUILDHALL)!;
    for (const pid of [server, processOf(SUPERVISOR)!, postgresOf(dataDir)!])
      assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
    process.kill(server, 'SIGSEGV');
    await eventually(() => output().includes('The server was ended by SIGSEGV.'), 'the end of the server');
    const files = [ROOT, dataDir].flatMap((place) => readdirSync(place));
    assert.deepEqual(
      files.filter((file) => /^core(\.\d+)?$/.test(file)),
      [],
    );
    npm.kill('SIGTERM');
    await exitOf(npm);
  });

  test('exits with the code and the sentence of a server with an invalid setting', async () => {
    const { npm, output } = await npmStart({ SIGNUP: 'maybe' });
    assert.equal(await exitOf(npm), 1);
    assert.match(output(), /^SIGNUP must be open or closed[^\n]+\n$/);
  });
});
