import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Disk } from 'flydrive';
import { createFairSemaphore } from '../../../../core/fair-semaphore.ts';
import { OperatorError } from '../../../../core/operator-error.ts';
import {
  isMissingObject,
  keyOf,
  openObjectStorage,
  type BucketStorage,
} from '../../../../outbound/object-storage.ts';
import {
  checkFiles,
  hashOf,
  MANIFEST_FILE,
  partFolder,
  partName,
  PART_FILES,
  removePart,
  type PartManifest,
  type PartName,
  type StoredPart,
} from './archive-files.ts';

/** Keeps the finished parts in a bucket. The folder of the archive has copies of those that were used last. */
export interface ArchiveBucket {
  /** Uploads the files of a part that is in the folder, and reads them back. Throws {@link ArchiveStorageError}. */
  upload(name: PartName): Promise<void>;
  /** Deletes the objects of a part, whether all of them exist or not. */
  remove(name: PartName): Promise<void>;
  /** The parts of a tenant that have an object. */
  listParts(tenantId: string): Promise<PartName[]>;
  /**
   * Downloads files of parts that are not in the folder. Readers that ask for the same file wait for one download. Tenants take turns.
   * If the signals of all its readers are aborted before its turn, a file is not downloaded.
   */
  fetch(parts: StoredPart[], files: string[], signal?: AbortSignal): Promise<void>;
  /** Compares the objects of a part with their hashes, like checkPart(). */
  check(part: StoredPart): Promise<PartManifest | string>;
}

/** A download that runs, or waits for its turn. */
interface Download {
  /** How many readers wait for it. */
  readers: number;
  ended?: Promise<void>;
}

/** Thrown if the bucket cannot be reached, an object is missing or damaged, or the folder has no room. */
export class ArchiveStorageError extends OperatorError {
  override name = 'ArchiveStorageError';
}

/** Thrown if the files of a read do not fit into the folder together. */
export class ArchiveTooLargeError extends OperatorError {
  override name = 'ArchiveTooLargeError';
}

/**
 * Without a byte for this long, a request has failed. Reads are sent twice, so a query has time to say so. Some servers answer a write
 * late, because they check or copy a large object first.
 */
const TIMEOUTS_MS = { reading: 5_000, writing: 60_000 };
/** A file has up to 3.5 GB. The downloads of one tenant leave a slot for those of others. */
const CONCURRENT_DOWNLOADS = { running: 2, runningPerOwner: 1 };
const MAX_MANIFEST_BYTES = 1024 ** 2;
/** Another process may be about to open a file that was used within this time, so it stays. */
const IN_USE_MS = 2 * 60_000;

/** Opens a bucket. Sends no request before the first use. */
export function createArchiveBucket(
  storage: BucketStorage,
  root: string,
  cacheBytes: number,
  timeouts = TIMEOUTS_MS,
): ArchiveBucket {
  const openOnce = (socketTimeout: number): (() => Promise<Disk>) => {
    let opened: Promise<Disk> | undefined;
    return () => (opened ??= openObjectStorage(storage, { socketTimeout }));
  };
  const [reading, writing] = [openOnce(timeouts.reading), openOnce(timeouts.writing)];
  const slots = createFairSemaphore(CONCURRENT_DOWNLOADS);
  const downloads = new Map<string, Download>();

  const nameOf = (part: PartName, file: string): string => `${part.tenantId}/${partName(part)}/${file}`;
  const keyOfFile = (name: PartName, file: string): string => keyOf(storage, nameOf(name, file));

  /** Opens an object. Returns undefined if it does not exist. */
  const openObject = async (name: PartName, file: string): Promise<Readable | undefined> =>
    (await reading()).getStream(keyOfFile(name, file)).catch((error: unknown) => {
      if (isMissingObject(error)) return undefined;
      throw error;
    });

  const download = async (part: PartName, file: string, expected: { sha256: string; bytes: number }) => {
    const path = join(partFolder(root, part), file);
    if (!(await deleteLeastRecent(root, expected.bytes, cacheBytes)))
      throw new ArchiveStorageError(
        'All local copies of archived events are in use. Try again in a few minutes, or raise ARCHIVE_CACHE_MEGABYTES.',
      );
    const object = await reached(openObject(part, file));
    if (!object) throw new ArchiveStorageError(`The bucket of the archive has no ${nameOf(part, file)}.`);
    const draft = `${path}.${randomUUID()}.download`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const hash = createHash('sha256');
      await reached(
        pipeline(
          object,
          limited(expected.bytes, (chunk) => hash.update(chunk)),
          createWriteStream(draft, { mode: 0o600, flush: true }),
        ),
      );
      if (hash.digest('hex') !== expected.sha256)
        throw new ArchiveStorageError(
          `${nameOf(part, file)} in the bucket of the archive does not match its checksum.`,
        );
      await rename(draft, path);
    } finally {
      object.destroy();
      await rm(draft, { force: true });
    }
  };

  /** Runs one download of a file at a time. */
  const once = async (
    part: PartName,
    path: string,
    work: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    signal?.throwIfAborted();
    const download: Download = downloads.get(path) ?? { readers: 0 };
    downloads.set(path, download);
    download.readers++;
    const leave = (): void => void download.readers--;
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await (download.ended ??= slots.run(part.tenantId, async () => {
        try {
          if (download.readers > 0) await work();
        } finally {
          // In one turn with the check, so that no reader waits for a download that was dropped.
          downloads.delete(path);
        }
      }));
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };

  const readManifest = async (part: StoredPart, signal: AbortSignal | undefined): Promise<PartManifest> => {
    const path = join(partFolder(root, part), MANIFEST_FILE);
    const sha256 = part.manifestHash.toString('hex');
    const local = await readFile(path).catch(() => undefined);
    if (local && createHash('sha256').update(local).digest('hex') !== sha256)
      // Copies of a part that another database had under this name.
      await removePart(root, part);
    else if (local) return JSON.parse(local.toString()) as PartManifest;
    await once(
      part,
      path,
      () => download(part, MANIFEST_FILE, { sha256, bytes: MAX_MANIFEST_BYTES }),
      signal,
    );
    return JSON.parse(await readFile(path, 'utf8')) as PartManifest;
  };

  return {
    async upload(name) {
      const folder = partFolder(root, name);
      // The manifest is last, so a part with it is complete.
      for (const file of PART_FILES) {
        const path = join(folder, file);
        await reached((await writing()).copyFromFs(path, keyOfFile(name, file)));
        const object = await reached(openObject(name, file));
        const [stored, written] = [object && (await reached(hashOf(object))), await hashOf(path)];
        if (!stored?.equals(written))
          throw new ArchiveStorageError(`The bucket of the archive has not stored ${nameOf(name, file)}.`);
      }
      await deleteLeastRecent(root, 0, cacheBytes);
    },

    async remove(name) {
      for (const file of PART_FILES.toReversed())
        await reached((await writing()).delete(keyOfFile(name, file)));
    },

    async listParts(tenantId) {
      const found = new Map<string, PartName>();
      let paginationToken: string | undefined;
      do {
        const page = await reached(
          (await reading()).listAll(keyOf(storage, `${tenantId}/`), {
            recursive: true,
            ...(paginationToken !== undefined && { paginationToken }),
          }),
        );
        for (const object of page.objects) {
          const match = /(match|player)\/(\d{4}-\d\d)\/part-(\d+)\/[^/]+$/.exec(
            'key' in object ? object.key : '',
          );
          if (!match) continue;
          const [path, scope, month = '', part] = match;
          found.set(dirname(path), {
            tenantId,
            scope: scope as PartName['scope'],
            month,
            part: Number(part),
          });
        }
        ({ paginationToken } = page);
      } while (paginationToken !== undefined);
      return [...found.values()];
    },

    async fetch(parts, names, signal) {
      const wanted: { part: StoredPart; file: PartManifest['files'][number] }[] = [];
      for (const part of parts)
        for (const file of (await readManifest(part, signal)).files)
          if (names.includes(file.name)) wanted.push({ part, file });
      const bytes = wanted.reduce((sum, { file }) => sum + file.bytes, 0);
      if (bytes > cacheBytes)
        throw new ArchiveTooLargeError(
          `The range has ${inMegabytes(bytes)} MB of archived events to read at once, and this server reads at most ` +
            `${inMegabytes(cacheBytes)} MB (ARCHIVE_CACHE_MEGABYTES). Ask for a shorter range.`,
        );
      await Promise.all(
        wanted.map(async ({ part, file }) => {
          const path = join(partFolder(root, part), file.name);
          if (!(await markUsed(path, file.bytes)))
            await once(part, path, () => download(part, file.name, file), signal);
        }),
      );
    },

    check: (part) => reached(checkFiles((file) => openObject(part, file), part.manifestHash)),
  };
}

const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

/** Turns failures of the bucket into one error. */
async function reached<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { cause = error } = error as Error;
    const { message } = cause as Error;
    throw new ArchiveStorageError(`The bucket of the archive does not answer: ${message}`, { cause });
  }
}

/** Passes at most `bytes` on. */
const limited = (bytes: number, see: (chunk: Buffer) => void) =>
  async function* pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let passed = 0;
    for await (const chunk of chunks) {
      passed += chunk.length;
      if (passed > bytes) throw new ArchiveStorageError('An object of the archive is too large.');
      see(chunk);
      yield chunk;
    }
  };

/** Whether a file is here and has its size. Marks it as used. */
async function markUsed(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== bytes) return false;
  const now = new Date();
  // It may have been deleted since.
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** Deletes the files that were used least recently, until there is room for `needed` bytes. Returns whether there is. */
async function deleteLeastRecent(root: string, needed: number, limit: number): Promise<boolean> {
  const files: { path: string; bytes: number; usedAt: number }[] = [];
  const names = await readdir(root, { recursive: true }).catch(() => []);
  for (const name of names) {
    // Parts that are being written.
    if (name.includes('.tmp')) continue;
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
  }
  let room = limit - files.reduce((sum, { bytes }) => sum + bytes, 0);
  const leastRecent = files.toSorted((a, b) => a.usedAt - b.usedAt);
  for (const { path, bytes, usedAt } of leastRecent) {
    if (room >= needed || Date.now() - usedAt < IN_USE_MS) break;
    await rm(path, { force: true });
    room += bytes;
  }
  return room >= needed;
}
