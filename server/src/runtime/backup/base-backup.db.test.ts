import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { startEmbeddedServer } from '../../database/embedded/embedded-server.ts';
import { streamBaseBackup } from './base-backup.ts';

test('has the log that it needs, also after checkpoints during the backup', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-base-backup-'));
  const server = await startEmbeddedServer(folder, { min_wal_size: '32MB', max_wal_size: '32MB' });
  context.after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  const url = server.url('postgres');
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
