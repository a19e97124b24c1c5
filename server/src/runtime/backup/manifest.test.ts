import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readConfig } from '../config.ts';
import {
  ARCHIVES,
  checkArchives,
  foldersOf,
  readManifest,
  sizeOfArchives,
  writeManifest,
  type Manifest,
} from './manifest.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function arrangeBackup(context: TestContext, archives: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-manifest-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(archives)) writeFileSync(join(folder, name), text);
  const manifest: Manifest = {
    format: 1,
    guildhall: '1.2.3',
    postgresql: '18.4',
    createdAt: '2026-01-02T03:04:05.000Z',
    sha256: Object.fromEntries(Object.entries(archives).map(([name, text]) => [name, sha256(text)])),
  };
  await writeManifest(folder, manifest);
  return { folder, manifest };
}

describe('the manifest of a backup', () => {
  test('is read as it was written, and names the version that can read a newer format', async (context) => {
    const { folder, manifest } = await arrangeBackup(context, { [ARCHIVES.postgres]: 'files' });
    assert.deepEqual(await readManifest(folder), manifest);
    const write = (text: string): void => writeFileSync(join(folder, 'backup.json'), text);
    write('{"format":2,"guildhall":"9.0.0"}');
    await assert.rejects(readManifest(folder), {
      name: 'OperatorError',
      message: `${folder} was created by a newer Guildhall (9.0.0). Use that version.`,
    });
    for (const damaged of ['', 'null', '{"format":0,"sha256":{}}', '{"format":1,"sha256":{}}', '{}']) {
      write(damaged);
      await assert.rejects(readManifest(folder), /^OperatorError: \S+backup\.json is damaged\. Use another/);
    }
    rmSync(join(folder, 'backup.json'));
    await assert.rejects(readManifest(folder), /^OperatorError: \S+ contains no complete backup/);
  });

  test('has the size and the hash of each archive', async (context) => {
    const archives = { [ARCHIVES.postgres]: 'files', [ARCHIVES.avatars]: 'avatar' };
    const { folder, manifest } = await arrangeBackup(context, archives);
    assert.equal(await sizeOfArchives(folder, manifest), 11);
    let bytes = 0;
    const check = () => checkArchives(folder, manifest, (count) => (bytes += count));
    await check();
    assert.equal(bytes, 11);
    writeFileSync(join(folder, ARCHIVES.avatars), 'avatas');
    await assert.rejects(check(), /^OperatorError: \S+avatars\.tar\.zst is missing or damaged: its SHA-256/);
    rmSync(join(folder, ARCHIVES.avatars));
    await assert.rejects(check(), /^OperatorError: \S+avatars\.tar\.zst is missing or damaged/);
    assert.equal(await sizeOfArchives(folder, manifest), 5);
  });
});

test('a backup copies the folders of files, and nothing of a bucket', () => {
  const all = foldersOf(readConfig({ DATA_DIR: '/data', ARCHIVE_DIR: '/events' }));
  assert.deepEqual(all, [
    { path: '/data/avatars', setting: 'AVATAR_STORAGE_URL', archive: 'avatars.tar.zst' },
    { path: '/events', setting: 'ARCHIVE_DIR', archive: 'archived-events.tar.zst' },
  ]);
  const inBuckets = { AVATAR_STORAGE_URL: 's3://avatars', ARCHIVE_STORAGE_URL: 's3://events' };
  assert.deepEqual(foldersOf(readConfig({ DATA_DIR: '/data', ...inBuckets })), []);
});
