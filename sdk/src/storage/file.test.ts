import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
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

test('lets a program continue that has no reference to a storage any more', async (context) => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  context.after(() => fs.rm(folder, { recursive: true }));
  // Node ends a program if the garbage collector finds an open file.
  const program = `
    import { fileStorage } from ${JSON.stringify(new URL('./file.ts', import.meta.url).href)};
    const path = process.argv[1];
    await (await fileStorage(path)).write({ kept: 'yes' });
    for (let round = 0; round < 10; round++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await fileStorage(path).catch(({ message }) => console.log(message));
  `;
  const options = ['--expose-gc', '--input-type=module', '--eval', program, join(folder, 'store')];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  assert.match(stdout, /Another process or thread uses this storage/);
});
