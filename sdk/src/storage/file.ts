import { randomUUID } from 'node:crypto';
import { constants, unlinkSync } from 'node:fs';
import {
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { uptime } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes, ClientStorage } from '../core/storage.ts';
import { SortedMap } from './sorted-map.ts';

/** A file that is open: it belongs to this thread until it is closed, or until the process ends or the thread ends by itself. */
export interface FileStorage extends ClientStorage {
  close(): Promise<void>;
}

/** The file is written anew when it is this much larger than its entries. */
const COMPACT_FACTOR = 4;
const COMPACT_BYTES = 1024 * 1024;

/** Node 26 ends the program if the garbage collector finds an open file. So each storage is referenced until it is closed. */
const opened = new Set<FileStorage>();

/**
 * Keeps everything in a file, for Node. A resolved write is on disk. One thread of one process at a time may use the file:
 * another one gets an error until this one calls `close`. Two containers do not see each other, so each needs a file of its own. The
 * folder must exist.
 */
export async function fileStorage(path: string): Promise<FileStorage> {
  const lock = await lockFile(path);
  const values = new SortedMap();
  /** Undefined after a compaction that failed, until the next write opens it again. */
  let file: FileHandle | undefined;
  let liveBytes = 0;
  let fileBytes = 0;
  /** Writes follow each other, and each reads the values that the one before left. */
  let last: Promise<unknown> = Promise.resolve();

  function apply(changes: Changes): void {
    for (const [key, value] of Object.entries(changes)) {
      liveBytes -= sizeOf(key, values.get(key));
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      liveBytes += sizeOf(key, value);
    }
  }

  async function load(): Promise<void> {
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    // A crash interrupted the write of a line without an end, so the write was never acknowledged.
    const end = bytes.lastIndexOf('\n') + 1;
    for (const [index, line] of bytes.toString('utf8', 0, end).split('\n').entries()) {
      try {
        if (line) apply(fromLine(line));
      } catch {
        // A disk or a crash of the machine damaged it. Its events are lost, and those of the other lines are not.
        console.warn(`The storage ${path} is damaged: line ${index + 1} was skipped.`);
      }
    }
    file = await openToWrite(path);
    await file.truncate(end);
    fileBytes = end;
  }

  async function append(changes: Changes): Promise<void> {
    const line = Buffer.from(toLine(changes));
    file ??= await openToWrite(path);
    try {
      await writeAt(file, line, fileBytes);
      await file.datasync();
    } catch (error) {
      // Half a line would make the next one unreadable.
      await file.truncate(fileBytes).catch(() => {});
      throw error;
    }
    fileBytes += line.length;
    apply(changes);
    if (fileBytes > COMPACT_BYTES + COMPACT_FACTOR * liveBytes) await compact().catch(() => {});
  }

  async function compact(): Promise<void> {
    const draft = `${path}.new`;
    const bytes = Buffer.from(values.size > 0 ? toLine(Object.fromEntries(values)) : '');
    await rm(draft, { force: true });
    const next = await openToWrite(draft);
    try {
      await writeAt(next, bytes, 0);
      await next.datasync();
      // Windows does not replace a file that is open.
      const before = file;
      file = undefined;
      await before?.close();
      await rename(draft, path);
    } catch (error) {
      await next.close();
      throw error;
    }
    // Nothing can fail before the next write goes to the new file. To open it by its name would need a descriptor, and may fail.
    file = next;
    fileBytes = bytes.length;
    await syncFolder(dirname(path));
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  }

  try {
    await load();
  } catch (error) {
    await file?.close();
    await lock.release();
    throw error;
  }
  const storage: FileStorage = {
    get: async (key) => values.get(key),
    write: (changes, onlyIf) =>
      inTurn(async () => {
        if (!opened.has(storage)) throw new Error('The storage is closed.');
        if (onlyIf && values.get(onlyIf.key) !== onlyIf.value) return false;
        await append(changes);
        return true;
      }),
    list: async (prefix, limit, after) => values.list(prefix, limit, after),
    close: () =>
      inTurn(async () => {
        await file?.close();
        await lock.release();
        opened.delete(storage);
      }),
  };
  opened.add(storage);
  return storage;
}

/** One write is one line: the entries that it sets, and the keys that it deletes. */
function toLine(changes: Changes): string {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  const deleted = Object.keys(changes).filter((key) => changes[key] === undefined);
  return `${JSON.stringify([set, deleted])}\n`;
}

function fromLine(line: string): Changes {
  const [set, deleted] = JSON.parse(line) as [[string, string][], string[]];
  return Object.fromEntries([...set, ...deleted.map((key) => [key, undefined] as const)]);
}

function sizeOf(key: string, value: string | undefined): number {
  return value === undefined ? 0 : key.length + value.length;
}

/** Without the flag for appending: Windows cannot truncate a file that is open for appending. */
function openToWrite(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
}

/** Writes all bytes. A disk that is almost full takes a part of them first. */
async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/** Makes a renamed file survive a crash of the machine. Some systems cannot sync a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** The files that this thread has locked, and their locks. */
const locks = new Map<string, string>();
const ATTEMPTS = 5;

/** A program may end without `close`. Only Linux shows later that another process has its id, and that its lock does not count. */
function deleteLocks(): void {
  for (const lock of locks.values())
    try {
      unlinkSync(lock);
    } catch {
      // The folder may be gone.
    }
}

/**
 * Takes a file for this thread. Each thread first writes a lock of its own and then looks for others, so of two that open the
 * file at once, at least one finds the other. Locks of processes that no longer run do not count.
 */
async function lockFile(path: string): Promise<{ release(): Promise<void> }> {
  const file = resolve(path);
  if (locks.has(file)) throw inUse(process.pid);
  const own = `${file}.lock.${process.pid}.${randomUUID()}`;
  if (locks.size === 0) process.on('exit', deleteLocks);
  locks.set(file, own);
  const release = async (): Promise<void> => {
    await unlink(own).catch(() => {});
    locks.delete(file);
    if (locks.size === 0) process.off('exit', deleteLocks);
  };
  try {
    for (let attempt = 1; ; attempt++) {
      await writeFile(own, '');
      const other = await findOther(file, own);
      if (other === undefined) return { release };
      if (attempt === ATTEMPTS) throw inUse(other);
      // The other one may have found this one, and give up too.
      await unlink(own);
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  } catch (error) {
    await release();
    throw error;
  }
}

/** Returns a process that runs and has another lock of the file. Deletes the locks of processes that do not. */
async function findOther(file: string, own: string): Promise<number | undefined> {
  const prefix = `${basename(file)}.lock.`;
  for (const name of await readdir(dirname(file))) {
    const lock = join(dirname(file), name);
    if (!name.startsWith(prefix) || lock === own) continue;
    const pid = Number.parseInt(name.slice(prefix.length));
    if (isRunning(pid) && !(await isOlderThanProcess(lock, pid))) return pid;
    await unlink(lock).catch(() => {});
  }
  return undefined;
}

/** Clocks are set by seconds after a boot. */
const BOOT_TOLERANCE_MS = 60_000;

/** Linux counts the time since the boot in hundredths of a second. */
const TICK_MS = 10;

/** Whether a lock was written before its process started. Then another program has the process id, as often in a container. */
async function isOlderThanProcess(lock: string, pid: number): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && found.mtimeMs < Date.now() - (await runsForMs(pid));
}

/** How long a process has run at most. Of other processes only Linux says it, so elsewhere it is the time since the boot. */
async function runsForMs(pid: number): Promise<number> {
  if (pid === process.pid) return process.uptime() * 1000;
  const sinceBoot = uptime() * 1000 + BOOT_TOLERANCE_MS;
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The start is the 20th field after the name, which is in brackets and may have spaces and brackets.
  const startedAfter = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[19]) * TICK_MS;
  return startedAfter > 0 ? sinceBoot - startedAfter : sinceBoot;
}

const inUse = (pid: number): Error =>
  new Error(`Another process or thread uses this storage (process ${pid}). Use one file for each of them.`);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
