import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test, type TestContext } from 'node:test';
import { startEmbeddedServer } from '../../database/embedded/embedded-server.ts';
import { streamBaseBackup } from './base-backup.ts';

/** A PostgreSQL that ends with the test. Returns its URL. */
async function startPostgres(context: TestContext, settings?: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-base-backup-'));
  const server = await startEmbeddedServer(folder, settings);
  context.after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  return server.url('postgres');
}

test('writes a whole tar archive, even if its parts are written later', async (context) => {
  const url = await startPostgres(context);
  const parts: Buffer[] = [];
  await streamBaseBackup(
    url,
    new PassThrough().on('data', (part: Buffer) => parts.push(part)),
  );
  const tar = spawn('tar', ['-t'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [names, [exitCode]] = await Promise.all([
    text(tar.stdout),
    once(tar, 'exit'),
    pipeline(Readable.from(parts), tar.stdin),
  ]);
  assert.equal(exitCode, 0);
  for (const name of ['PG_VERSION', 'backup_label', 'global/pg_control'])
    assert.ok(names.split('\n').includes(name), name);
});

test('has the log that it needs, even after checkpoints during the backup', async (context) => {
  const url = await startPostgres(context, { min_wal_size: '32MB', max_wal_size: '32MB' });
  const archive = new PassThrough();
  const backup = streamBaseBackup(url, archive);
  await once(archive, 'readable');
  // Nobody reads the archive, so the backup waits. Each other one begins with a checkpoint, and ends with a new file of the log.
  for (let count = 0; count < 3; count++) await streamBaseBackup(url, new PassThrough().resume());
  let bytes = 0;
  archive.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await backup;
  assert.ok(bytes > 1_000_000, `${bytes} bytes`);
});

test('fails if the archive cannot be written, even while PostgreSQL waits for it', async (context) => {
  const url = await startPostgres(context);
  const archive = new PassThrough();
  const backup = streamBaseBackup(url, archive);
  await once(archive, 'readable');
  archive.destroy(new Error('The disk is full.'));
  await assert.rejects(backup, /^Error: The disk is full\.$/);
});
