import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bucketAt, startS3Server } from '../../../../../testing/s3-server.ts';
import { ArchiveStorageError, createArchiveBucket } from './archive-bucket.ts';
import { EVENTS_FILE, MANIFEST_FILE, partName, type StoredPart } from './archive-files.ts';

test('a bucket refuses a manifest that has one byte too many, with any hash', async (context) => {
  const s3 = await startS3Server();
  const root = await mkdtemp(join(tmpdir(), 'guildhall-bucket-'));
  context.after(() => rm(root, { recursive: true }));
  const storage = bucketAt(s3.url);
  const bucket = createArchiveBucket(storage, root, 1e9);
  const name = { tenantId: randomUUID(), scope: 'match', month: '2026-01', part: 1 } as const;
  /** Stores a manifest of this size that names no files. */
  const storeManifest = (size: number): StoredPart => {
    const bytes = Buffer.from(JSON.stringify({ files: [] }).padEnd(size));
    const path = [storage.prefix, name.tenantId, partName(name), MANIFEST_FILE].filter(Boolean).join('/');
    s3.objects.set(`${storage.bucket}/${path}`, { bytes, type: undefined });
    return { ...name, manifestHash: createHash('sha256').update(bytes).digest() };
  };
  await assert.rejects(
    bucket.fetch([storeManifest(1024 ** 2 + 1)], [EVENTS_FILE]),
    (error) =>
      error instanceof ArchiveStorageError && error.message === 'An object of the archive is too large.',
  );
  await bucket.fetch([storeManifest(1024 ** 2)], [EVENTS_FILE]);
  const files = await readdir(root, { recursive: true });
  assert.equal(files.filter((file) => file.endsWith(MANIFEST_FILE)).length, 1);
  assert.ok(!files.some((file) => file.endsWith('.download')));
});
