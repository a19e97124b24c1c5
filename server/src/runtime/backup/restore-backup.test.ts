import assert from 'node:assert/strict';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe, type ChannelListener } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { hashFile } from '../../core/hash-file.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { readConfig } from '../config.ts';
import { ARCHIVES, writeManifest } from './manifest.ts';
import { restoreBackup } from './restore-backup.ts';

/** The channel of Node that publishes each new process, before the function that starts it returns. */
const SPAWNED = 'tracing:child_process.spawn:end';

/** A backup with this tar archive in place of the database, and the settings of its restore. */
async function arrangeBackup(context: TestContext, tar: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-restore-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const backup = join(folder, 'backup');
  mkdirSync(backup);
  const archive = join(backup, ARCHIVES.postgres);
  writeFileSync(archive, zstdCompressSync(tar));
  const sha256 = { [ARCHIVES.postgres]: await hashFile(archive) };
  await writeManifest(backup, { format: 1, guildhall: '', postgresql: '', createdAt: '', sha256 });
  const dataDir = join(folder, 'data');
  const config = readConfig({ DATA_DIR: dataDir, MASTER_KEY: randomBytes(32).toString('hex') });
  return { backup, dataDir, config };
}

test('shows how much of the backup is checked and unpacked', async (context) => {
  const files = mkdtempSync(join(tmpdir(), 'guildhall-restore-files-'));
  context.after(() => rmSync(files, { recursive: true }));
  writeFileSync(join(files, 'data'), randomBytes(6_500_000));
  writeFileSync(join(files, 'PG_VERSION'), '17\n');
  const tar = execFileSync('tar', ['-c', '-C', files, '.'], { maxBuffer: 10_000_000 });
  const { backup, config } = await arrangeBackup(context, tar);

  const lines: string[] = [];
  const withProgress = async (line: () => string, work: () => Promise<void>): Promise<void> => {
    lines.push(line());
    await work();
    lines.push(line());
  };
  const verify = () => assert.fail('These files are not a database.');
  await assert.rejects(
    restoreBackup(config, backup, new AbortController().signal, { verify, withProgress }),
    /^OperatorError: .+ was created by PostgreSQL 17, but/,
  );
  assert.deepEqual(lines, [
    'Checked 0 of 7 MB of the backup.',
    'Checked 7 of 7 MB of the backup.',
    'Unpacked 0 of 7 MB of the backup.',
    'Unpacked 7 of 7 MB of the backup.',
  ]);
});

test('ends tar if the restore is interrupted while tar starts', async (context) => {
  const { backup, dataDir, config } = await arrangeBackup(context, Buffer.alloc(0));
  const interrupt = new AbortController();
  let tar: ChildProcess | undefined;
  const onSpawn: ChannelListener = (message) => {
    const { process } = message as { process: ChildProcess };
    if (process.spawnfile !== 'tar') return;
    tar = process;
    interrupt.abort(new OperatorError('Interrupted.'));
  };
  subscribe(SPAWNED, onSpawn);
  try {
    await assert.rejects(
      restoreBackup(config, backup, interrupt.signal, {
        verify: () => Promise.resolve(),
        withProgress: (_line, work) => work(),
      }),
      /^OperatorError: Interrupted\.$/,
    );
    assert.equal(tar?.signalCode, 'SIGTERM');
    assert.deepEqual(readdirSync(dataDir), []);
  } finally {
    unsubscribe(SPAWNED, onSpawn);
  }
});
