import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createSession } from '../core/session.ts';
import { fileStorage, type FileStorage } from './file.ts';
import { indexedDbStorage } from './indexed-db.ts';
import { localStorage } from './local-storage.ts';
import { memoryStorage } from './memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'guildhall-storage-'));
const opened: FileStorage[] = [];
after(async () => {
  await Promise.all(opened.map((storage) => storage.close()));
  await rm(folder, { recursive: true });
});
let number = 0;
const newPath = () => join(folder, `storage-${++number}`);

async function openFile(): Promise<FileStorage> {
  const storage = await fileStorage(newPath());
  opened.push(storage);
  return storage;
}

/** Replaces the `localStorage` of this process by an empty one that has room for some characters, until the tests of the file end. */
function openLocal(room = Infinity) {
  const values = new Map<string, string>();
  const sizeOf = (key: string, value = '') => key.length + value.length;
  replaceLocalStorage({
    get length() {
      return values.size;
    },
    key: (index: number) => [...values.keys()][index] ?? null,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => {
      const others = [...values].filter(([other]) => other !== key);
      const used = others.reduce((sum, entry) => sum + sizeOf(...entry), 0);
      if (used + sizeOf(key, value) > room) throw new DOMException('No room is left.', 'QuotaExceededError');
      values.set(key, value);
    },
    removeItem: (key: string) => values.delete(key),
  });
  return localStorage();
}

const existing = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
after(() => existing && Object.defineProperty(globalThis, 'localStorage', existing));
function replaceLocalStorage(value: object): void {
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value });
}

for (const [name, open] of [
  ['memoryStorage', async () => memoryStorage()],
  ['fileStorage', openFile],
  ['localStorage', async () => openLocal()],
] as const)
  describe(name, () => {
    test('keeps, changes and deletes values', async () => {
      const storage = await open();
      assert.equal(await storage.get('a'), undefined);
      assert.equal(await storage.write({ a: '1', b: '2' }), true);
      await storage.write({ a: undefined, b: '3' });
      assert.deepEqual([await storage.get('a'), await storage.get('b')], [undefined, '3']);
    });

    test('changes nothing if the condition is not met', async () => {
      const storage = await open();
      assert.equal(await storage.write({ a: '1' }, { key: 'a', value: '0' }), false);
      assert.equal(await storage.write({ a: '1' }, { key: 'a', value: undefined }), true);
      const wins = await Promise.all(
        Array.from({ length: 20 }, (_, at) => storage.write({ a: `new-${at}` }, { key: 'a', value: '1' })),
      );
      assert.equal(wins.filter(Boolean).length, 1);
    });

    test('lists the entries of a prefix in the order of their keys, page by page', async () => {
      const storage = await open();
      await storage.write({ 'e/3': 'c', 'e/1': 'a', f: 'x', 'e/2': 'b', d: 'y' });
      assert.deepEqual(await storage.list('e/', 2), [
        ['e/1', 'a'],
        ['e/2', 'b'],
      ]);
      assert.deepEqual(await storage.list('e/', 2, 'e/2'), [['e/3', 'c']]);
      await storage.write({ 'e/0': 'new' });
      assert.deepEqual(await storage.list('e/', 2), [
        ['e/0', 'new'],
        ['e/1', 'a'],
      ]);
      await storage.write({ 'e/2': undefined });
      assert.deepEqual(await storage.list('e/', 9), [
        ['e/0', 'new'],
        ['e/1', 'a'],
        ['e/3', 'c'],
      ]);
      assert.deepEqual(await storage.list('e/', 9, 'e/2'), [['e/3', 'c']]);
    });
  });

describe('fileStorage', () => {
  test('reads after a restart what was written before, and drops an incomplete line', async () => {
    const path = newPath();
    const first = await fileStorage(path);
    await first.write({ a: '1', b: 'ä\n"' });
    await first.write({ a: undefined });
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await first.close();
    await appendFile(path, '[[["c","lo');
    const second = await fileStorage(path);
    assert.deepEqual(await second.list('', 10), [['b', 'ä\n"']]);
    await second.write({ d: '4' });
    await second.close();
    const third = await fileStorage(path);
    assert.deepEqual(await third.list('', 10), [
      ['b', 'ä\n"'],
      ['d', '4'],
    ]);
    await third.close();
  });

  test('skips a damaged line', async (context) => {
    const warned = context.mock.method(console, 'warn', () => {});
    const path = newPath();
    await writeFile(path, '[[["a","1"]],[]]\n\0\0\0\0\n{"a":1}\n[[["b","2"]],[]]\n');
    const storage = await fileStorage(path);
    assert.deepEqual(await storage.list('', 10), [
      ['a', '1'],
      ['b', '2'],
    ]);
    await storage.close();
    assert.equal(warned.mock.callCount(), 2);
    assert.match(String(warned.mock.calls[0]!.arguments[0]), new RegExp(`${basename(path)}.* line 2`));
  });

  test('belongs to one thread of a process, until it ends', async () => {
    const path = newPath();
    const code = `
      const { parentPort } = require('node:worker_threads');
      // Keeps the thread until a message arrives.
      parentPort.once('message', () => {});
      (async () => {
        const { fileStorage } = await import('${new URL('file.ts', import.meta.url)}');
        parentPort.postMessage(await fileStorage(${JSON.stringify(path)}).then(() => 'opened', String));
      })();`;
    const openInThread = async () => {
      const thread = new Worker(code, { eval: true });
      const [answer] = (await once(thread, 'message')) as [string];
      return { thread, answer };
    };
    const storage = await fileStorage(path);
    const { thread, answer } = await openInThread();
    assert.match(answer, /Another process or thread uses this storage/);
    await thread.terminate();
    await storage.close();
    const second = await openInThread();
    assert.equal(second.answer, 'opened');
    await assert.rejects(fileStorage(path), /Another process or thread uses this storage/);
    second.thread.postMessage('end');
    await once(second.thread, 'exit');
    await (await fileStorage(path)).close();
  });

  test('belongs to one process, until it ends', async () => {
    const path = newPath();
    const storage = await fileStorage(path);
    await assert.rejects(fileStorage(path), /Another process or thread uses this storage/);
    // The clock was set ahead, so the lock seems older than this process.
    for (const lock of (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.lock.`)))
      await utimes(join(folder, lock), 0, 0);
    await assert.rejects(fileStorage(path), /Another process or thread uses this storage/);
    await storage.close();
    await (await fileStorage(path)).close();
    // The lock of a process that was killed.
    await writeFile(`${path}.lock.4194304999.1`, '');
    await (await fileStorage(path)).close();
    // The lock of a process before this one with the same id, as in a container that was restarted.
    await writeFile(`${path}.lock.${process.pid}.1`, '');
    await utimes(`${path}.lock.${process.pid}.1`, 0, 0);
    await (await fileStorage(path)).close();
    // The lock of a process that ended with the machine: now another program has its id.
    await writeFile(`${path}.lock.${process.ppid}.1`, '');
    await assert.rejects(fileStorage(path), /Another process or thread uses this storage/);
    await utimes(`${path}.lock.${process.ppid}.1`, 0, 0);
    await (await fileStorage(path)).close();
  });

  test('does not belong to a program that has the id of an ended process', async (context) => {
    if (process.platform !== 'linux') return context.skip('SKIPPED: only Linux says when a process started.');
    const path = newPath();
    // Linux puts the name of a program into brackets.
    const other = spawn('bash', ['-c', `printf 'a) 1 (b' > /proc/$$/comm; echo renamed; read -r line`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    context.after(() => other.kill());
    await once(other.stdout, 'data');
    const lock = `${path}.lock.${other.pid}.1`;
    await writeFile(lock, '');
    await assert.rejects(fileStorage(path), /Another process or thread uses this storage/);
    // Two processes with a file each were restarted, and each has the id that the other one had.
    const twoMinutesAgo = Date.now() / 1000 - 120;
    await utimes(lock, twoMinutesAgo, twoMinutesAgo);
    await (await fileStorage(path)).close();
  });

  test('belongs to one of several processes and callers that open it at once', async () => {
    const path = newPath();
    const inThisProcess = await Promise.allSettled(Array.from({ length: 5 }, () => fileStorage(path)));
    const [first, ...others] = inThisProcess.filter(({ status }) => status === 'fulfilled');
    assert.equal(others.length, 0);
    await (first as PromiseFulfilledResult<FileStorage>).value.close();

    // Processes that wait for a common time, so that they find the lock of a killed process together.
    const code = `
      import { fileStorage } from '${new URL('file.ts', import.meta.url)}';
      while (Date.now() < Number(process.argv[1])) ;
      const storage = await fileStorage(${JSON.stringify(path)}).catch(() => undefined);
      console.log(storage ? 'opened' : 'in use');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      await storage?.close();
      process.exit();`;
    for (let round = 0; round < 2; round++) {
      await writeFile(`${path}.lock.4194304999.1`, '');
      const at = String(Date.now() + 1_000);
      const processes = Array.from({ length: 4 }, () =>
        spawn(process.execPath, ['--input-type=module-typescript', '-e', code, at], {
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      );
      const exits = processes.map((each) => once(each, 'exit'));
      const answers = await Promise.all(
        processes.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
      );
      for (const each of processes) each.stdin.end('end');
      await Promise.all(exits);
      assert.ok(answers.filter((answer) => answer === 'opened').length <= 1, answers.join(', '));
    }
    await (await fileStorage(path)).close();
    const locks = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.lock.`));
    assert.deepEqual(locks, []);
  });

  test('releases its lock if the file cannot be read', async () => {
    const path = newPath();
    await mkdir(path);
    await assert.rejects(fileStorage(path), { code: 'EISDIR' });
    await rm(path, { recursive: true });
    await (await fileStorage(path)).close();
  });

  test('keeps all earlier writes and takes later ones after a write that the disk has no room for', async (context) => {
    if (process.platform === 'win32') return context.skip('SKIPPED: only POSIX limits the size of files.');
    const path = newPath();
    const first = await fileStorage(path);
    await first.write({ before: 'yes' });
    await first.close();
    const code = `
      import { fileStorage } from '${new URL('file.ts', import.meta.url)}';
      const storage = await fileStorage(${JSON.stringify(path)});
      const large = { large: 'x'.repeat(20_000) };
      console.log(await storage.write(large).then(() => 'written', ({ code }) => code));
      await storage.write({ after: 'yes' });
      await storage.close();`;
    // The process may write files of 8 KiB. bash ignores the signal that would end it.
    const limited = spawn(
      'bash',
      [
        '-c',
        `trap '' XFSZ; ulimit -f 8; exec "$@"`,
        'bash',
        process.execPath,
        '--input-type=module-typescript',
        '-e',
        code,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_COMPILE_CACHE: '' } },
    );
    const [answer, [exitCode]] = await Promise.all([text(limited.stdout), once(limited, 'exit')]);
    assert.deepEqual([answer.trim(), exitCode], ['EFBIG', 0]);
    const again = await fileStorage(path);
    assert.deepEqual(await again.list('', 10), [
      ['after', 'yes'],
      ['before', 'yes'],
    ]);
    await again.close();
  });

  test('compacts its file once, and without the lines of an interrupted attempt', async () => {
    const path = newPath();
    const storage = await fileStorage(path);
    await writeFile(`${path}.new`, '[[["old","1"]],[]]\n');
    const fileNow = async () => (await stat(path)).ino;
    const writeLarge = () => storage.write({ large: 'x'.repeat(100_000) });
    await writeLarge();
    const first = await fileNow();
    for (let round = 0; round < 10; round++) await writeLarge();
    assert.equal(await fileNow(), first, 'a small file stays');
    while ((await fileNow()) === first) await writeLarge();
    const second = await fileNow();
    await storage.write({ small: '1' });
    assert.equal(await fileNow(), second);
    await storage.close();
    const again = await fileStorage(path);
    assert.deepEqual(
      (await again.list('', 10)).map(([key]) => key),
      ['large', 'small'],
    );
    await again.close();
  });

  test('compacts its file when most of it is deleted entries', async () => {
    const path = newPath();
    const storage = await fileStorage(path);
    await storage.write({ kept: 'yes' });
    const large = 'x'.repeat(100_000);
    for (let round = 0; round < 40; round++) await storage.write({ [`key-${round % 3}`]: large });
    for (let key = 0; key < 3; key++) await storage.write({ [`key-${key}`]: undefined });
    for (let round = 0; round < 12; round++) await storage.write({ big: large });
    const { size, mode } = await stat(path);
    assert.ok(size < 2_500_000, `${size} bytes`);
    assert.equal(mode & 0o777, 0o600);
    await storage.close();
    const again = await fileStorage(path);
    assert.equal(await again.get('kept'), 'yes');
    assert.deepEqual((await again.list('key-', 10)).length, 0);
    await again.close();
    assert.ok((await readFile(path, 'utf8')).endsWith('\n'));
  });
});

describe('localStorage', () => {
  test('changes nothing if there is no room for all changes', async () => {
    const storage = openLocal(10);
    await storage.write({ a: '123', b: '456' });
    await assert.rejects(storage.write({ a: undefined, b: '7', c: '8', d: '12345678' }), {
      name: 'QuotaExceededError',
    });
    assert.deepEqual(await storage.list('', 10), [
      ['a', '123'],
      ['b', '456'],
    ]);
  });

  test('deletes before it writes, so that the new entries have the room of the old ones', async () => {
    const storage = openLocal(10);
    await storage.write({ a: '123', b: '456' });
    await storage.write({ c: '12345', a: undefined });
    assert.deepEqual(await storage.list('', 10), [
      ['b', '456'],
      ['c', '12345'],
    ]);
  });

  test('is one storage for all clients of a page', () => {
    assert.equal(localStorage(), localStorage());
  });

  test('may be blocked by the browser', async () => {
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      get: () => {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    });
    const storage = localStorage();
    for (const call of [storage.get('a'), storage.write({ a: '1' }), storage.list('', 10)])
      await assert.rejects(call, { name: 'SecurityError' });
  });

  test('calls a listener when another page changes the key or deletes all keys, until the listener ends it', () => {
    const page = new EventTarget();
    for (const name of ['addEventListener', 'removeEventListener'] as const)
      Object.assign(globalThis, { [name]: page[name].bind(page) });
    let calls = 0;
    const storage = openLocal();
    const storageArea = globalThis.localStorage;
    const stop = storage.watch!('a', () => calls++);
    const change = (key: string | null, area: unknown = storageArea) =>
      page.dispatchEvent(Object.assign(new Event('storage'), { key, storageArea: area }));
    for (const key of ['a', 'b', null]) change(key);
    change('a', 'of the session storage');
    assert.equal(calls, 2);
    stop();
    change('a');
    assert.equal(calls, 2);
    for (const name of ['addEventListener', 'removeEventListener']) Reflect.deleteProperty(globalThis, name);
  });

  test('works in Node, which sends no storage events', async () => {
    const storage = openLocal();
    const session = createSession<string>({
      storage,
      key: 'session',
      refresh: () => Promise.reject(new Error('is not needed')),
    });
    await session.start({ accessToken: 'a', refreshToken: 'r', expiresIn: 7200 }, 'ada');
    assert.equal(await session.load(), 'ada');
    assert.match((await storage.get('session')) ?? '', /"ada"/);
  });
});

test('indexedDbStorage calls each listener of a key when another page changes it, until the listener ends it', async () => {
  const storage = indexedDbStorage('watched');
  const calls = { one: 0, other: 0 };
  const page = new BroadcastChannel('watched a');
  const stop = storage.watch!('a', () => calls.one++);
  const changed = async () => {
    const called = new Promise<void>((resolve) => {
      const stopHere = storage.watch!('a', () => {
        calls.other++;
        stopHere();
        resolve();
      });
    });
    page.postMessage(undefined);
    await called;
  };
  await changed();
  stop();
  await changed();
  page.close();
  assert.deepEqual(calls, { one: 1, other: 2 });
});
