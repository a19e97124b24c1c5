import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe, type ChannelListener } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { hashFile } from '../../core/hash-file.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { readConfig } from '../config.ts';
import { ARCHIVES, writeManifest } from './manifest.ts';
import { restoreBackup } from './restore-backup.ts';

/** The channel of Node that publishes each new process, before the function that starts it returns. */
const SPAWNED = 'tracing:child_process.spawn:end';

test('ends tar if the restore is interrupted while tar starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-restore-'));
  const backup = join(folder, 'backup');
  mkdirSync(backup);
  const archive = join(backup, ARCHIVES.postgres);
  writeFileSync(archive, zstdCompressSync(''));
  const sha256 = { [ARCHIVES.postgres]: await hashFile(archive) };
  await writeManifest(backup, { format: 1, guildhall: '', postgresql: '', createdAt: '', sha256 });
  const dataDir = join(folder, 'data');
  const config = readConfig({ DATA_DIR: dataDir, MASTER_KEY: randomBytes(32).toString('hex') });

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
      restoreBackup(config, backup, interrupt.signal, () => Promise.resolve()),
      /^OperatorError: Interrupted\.$/,
    );
    assert.equal(tar?.signalCode, 'SIGTERM');
    assert.deepEqual(readdirSync(dataDir), []);
  } finally {
    unsubscribe(SPAWNED, onSpawn);
    rmSync(folder, { recursive: true });
  }
});
