import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { fileStorage } from './file.ts';

const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

/** Replaces functions of the file system until the test ends. */
function arrangeFileSystem(context: TestContext) {
  const { open, rename } = fs;
  const replace = (replaced: Partial<Pick<typeof fs, 'open' | 'rename'>>) => {
    Object.assign(fs, replaced);
    syncBuiltinESMExports();
  };
  context.after(() => replace({ open, rename }));
  return { open, rename, replace };
}

/** Windows does not truncate a file that is open for appending, and does not replace a file that is open. */
function arrangeWindows(context: TestContext) {
  const { open, rename, replace } = arrangeFileSystem(context);
  const opened = new Map<FileHandle, string>();
  const isOpen = (path: unknown) => [...opened].some(([file, its]) => its === String(path) && file.fd !== -1);
  replace({
    open: async (path, flags, mode) => {
      const file = await open(path, flags, mode);
      opened.set(file, String(path));
      if (flags === 'a') file.truncate = () => failure('EPERM');
      return file;
    },
    rename: async (from, to) => {
      if (isOpen(to)) return failure('EPERM');
      await rename(from, to);
      for (const [file, path] of opened) if (path === from) opened.set(file, String(to));
    },
  });
}

test('a resolved write is on disk also if the process has no file descriptors left', async (context) => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  const path = join(folder, 'store');
  const storage = await fileStorage(path);
  const { rename, replace } = arrangeFileSystem(context);
  context.after(async () => {
    await storage.close();
    await fs.rm(folder, { recursive: true });
  });
  replace({
    rename: async (from, to) => {
      await rename(from, to);
      replace({ open: () => failure('EMFILE') });
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
  replace(() => failure('EMFILE'));
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
  assert.deepEqual(await fs.readdir(folder), ['store'], 'the lock ends with the program');
});

test('keeps and compacts a file on Windows', async (context) => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  context.after(() => fs.rm(folder, { recursive: true }));
  arrangeWindows(context);
  const path = join(folder, 'store');
  const first = await fileStorage(path);
  await first.write({ kept: 'yes' });
  const large = 'x'.repeat(600_000);
  let largest = 0;
  for (let round = 0; round < 12; round++) {
    await first.write({ large: `${large}${round}` });
    largest = Math.max(largest, (await fs.stat(path)).size);
  }
  assert.ok(largest < 5_000_000, `${largest} bytes`);
  await first.close();
  const second = await fileStorage(path);
  assert.deepEqual(await second.list('', 10), [
    ['kept', 'yes'],
    ['large', `${large}11`],
  ]);
  await second.close();
});

test('keeps all resolved writes if a compaction fails and the file cannot be opened again at once', async (context) => {
  const folder = await fs.mkdtemp(join(tmpdir(), 'guildhall-storage-'));
  context.after(() => fs.rm(folder, { recursive: true }));
  const { open, rename, replace } = arrangeFileSystem(context);
  const path = join(folder, 'store');
  const first = await fileStorage(path);
  replace({
    rename: () => {
      replace({ open: () => failure('EMFILE') });
      return failure('EBUSY');
    },
  });
  await first.write({ a: 'x'.repeat(1_200_000) });
  await first.write({ a: undefined });
  await assert.rejects(first.write({ b: 'not written' }), { code: 'EMFILE' });
  replace({ open });
  await first.write({ c: '1' });
  replace({ open, rename });
  await first.write({ d: '2' });
  await first.write({ e: '3' });
  assert.ok((await fs.stat(path)).size < 1_000, 'the next attempt succeeded');
  await first.close();
  const second = await fileStorage(path);
  assert.deepEqual(await second.list('', 10), [
    ['c', '1'],
    ['d', '2'],
    ['e', '3'],
  ]);
  await second.close();
  await assert.rejects(second.write({ f: '4' }), /The storage is closed/);
});
