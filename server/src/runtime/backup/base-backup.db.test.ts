import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
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
  let bytes = 0;
  let hasOthers = false;
  const slow = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (hasOthers) return done();
      hasOthers = true;
      // Each backup begins with a checkpoint, and ends with a new file of the log.
      const others = async () => {
        for (let count = 0; count < 3; count++) await streamBaseBackup(url, discard());
      };
      others().then(() => done(), done);
    },
  });
  await streamBaseBackup(url, slow);
  assert.ok(bytes > 1_000_000, `${bytes} bytes`);
});

const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() });
