import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileStorage } from './file.ts';

test('a resolved write is on disk also if the process has no file descriptors left', async (context) => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  const path = join(folder, 'store');
  const storage = await fileStorage(path);
  const { open, rename } = fs;
  const replace = (replaced: Partial<Pick<typeof fs, 'open' | 'rename'>>) => {
    Object.assign(fs, replaced);
    syncBuiltinESMExports();
  };
  context.after(async () => {
    replace({ open, rename });
    await storage.close();
    await fs.rm(folder, { recursive: true });
  });
  replace({
    rename: async (from, to) => {
      await rename(from, to);
      replace({
        open: () => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' })),
      });
    },
  });
  const large = 'x'.repeat(600_000);
  await storage.write({ a: large });
  await storage.write({ a: `${large}2` });
  await storage.write({ a: undefined, b: 'small' });
  await storage.write({ kept: 'a resolved write' });
  const text = await fs.readFile(path, 'utf8');
  assert.ok(text.length < 1_000, 'the file was written anew');
  assert.match(text, /a resolved write/);
});

test('keeps the file if it cannot be read', async (context) => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  const { readFile } = fs;
  const replace = (read: typeof readFile) => {
    Object.assign(fs, { readFile: read });
    syncBuiltinESMExports();
  };
  context.after(() => fs.rm(folder, { recursive: true }));
  const path = join(folder, 'store');
  const first = await fileStorage(path);
  await first.write({ kept: 'yes' });
  await first.close();
  replace(() => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' })));
  try {
    await assert.rejects(fileStorage(path), { code: 'EMFILE' });
  } finally {
    replace(readFile);
  }
  const second = await fileStorage(path);
  assert.equal(await second.get('kept'), 'yes');
  await second.close();
});
