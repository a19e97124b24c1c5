import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Disk } from 'flydrive';
import { hashFile } from '../../../../../core/hash-file.ts';
import { OperatorError } from '../../../../../core/operator-error.ts';
import { createFolder } from '../../../../../core/writable-folder.ts';
import {
  isMissingObject,
  objectKey,
  openObjectStorage,
  type BucketStorage,
} from '../../../../../outbound/object-storage.ts';
import {
  checkFiles,
  draftFolder,
  MANIFEST_FILE,
  parsePartName,
  partFolder,
  partName,
  PART_FILES,
  removePart,
  type PartManifest,
  type PartRef,
  type StoredPart,
} from './archive-files.ts';
import { createRoomMaker, deleteLeastRecent, MARKING_INTERVAL_MS, markUsed } from './local-copies.ts';
import { createSharedDownloads } from './shared-downloads.ts';

/** Keeps the finished parts in a bucket. The folder of the archive has copies of those that were used last. */
export interface ArchiveBucket {
  /** Uploads the files of a part from its draft, and reads them back. Throws {@link ArchiveStorageError}. */
  upload(part: PartRef): Promise<void>;
  /** Deletes the objects of a part, whether all of them exist or not. */
  remove(part: PartRef): Promise<void>;
  /** The parts of a tenant that have an object. */
  listParts(tenantId: string): Promise<PartRef[]>;
  /**
   * Downloads files of parts that are not in the folder. Readers that ask for the same file wait for one download. Tenants take turns.
   * If the signals of all its readers are aborted before its turn, a file is not downloaded.
   */
  fetch(parts: StoredPart[], files: string[], options?: FetchOptions): Promise<void>;
  /** Deletes the local copies that were used least recently, if they are beyond the limit. */
  deleteOldCopies(): Promise<void>;
  /** Compares the objects of a part with their hashes, like checkPart(). */
  check(part: StoredPart): Promise<PartManifest | string>;
}

interface FetchOptions {
  signal?: AbortSignal | undefined;
  /**
   * Whether files are downloaded even if the folder has no room for them. Otherwise, this throws {@link ArchiveTooLargeError} if several
   * parts are larger than the limit. A single one is always downloaded, because a shorter range would need it too. The parts of a month
   * overlap in time, so the shortest range may need all of them: the limit should hold the events files of a month.
   */
  mayExceedCache?: boolean | undefined;
}

/** Thrown if the bucket cannot be reached, a file or object is missing, an object is damaged, or the folder has no room. */
export class ArchiveStorageError extends OperatorError {
  override name = 'ArchiveStorageError';
}

/** Thrown if the files of a read do not fit into the folder together. */
export class ArchiveTooLargeError extends OperatorError {
  override name = 'ArchiveTooLargeError';
}

/**
 * Without a byte for this long, a request has failed. Reads are sent twice, so a query has time to say so. Some servers answer a write
 * late, because they check or copy a large object first. A transfer of a few bytes takes at most `transfer`, however it arrives.
 */
const TIMEOUTS_MS = { reading: 5_000, writing: 60_000, transfer: 60_000 };
const MAX_MANIFEST_BYTES = 1024 ** 2;

/** A file of a part, and what its object must have. */
type ExpectedFile = Pick<PartManifest['files'][number], 'name' | 'sha256' | 'bytes'>;

/** Opens a bucket. Sends no request before the first use. */
export function createArchiveBucket(
  storage: BucketStorage,
  root: string,
  cacheBytes: number,
  timeouts = TIMEOUTS_MS,
): ArchiveBucket {
  const openOnce = (socketTimeout: number): (() => Promise<Disk>) => {
    let opened: Promise<Disk> | undefined;
    return () =>
      (opened ??= openObjectStorage(storage, { socketTimeout, transferTimeout: timeouts.transfer }));
  };
  const openForReads = openOnce(timeouts.reading);
  const openForWrites = openOnce(timeouts.writing);
  const downloadOnce = createSharedDownloads();
  const makeRoom = createRoomMaker(root, cacheBytes);

  const pathOf = (part: PartRef, file: string): string => join(partFolder(root, part), file);
  const nameOf = (part: PartRef, file: string): string => `${part.tenantId}/${partName(part)}/${file}`;
  const keyOf = (part: PartRef, file: string): string => objectKey(storage, nameOf(part, file));

  /** Opens an object. Returns undefined if it does not exist. */
  const openObject = async (part: PartRef, file: string): Promise<Readable | undefined> =>
    (await openForReads()).getStream(keyOf(part, file)).catch((error: unknown) => {
      if (isMissingObject(error)) return undefined;
      throw error;
    });

  const download = async (part: PartRef, { name, sha256, bytes }: ExpectedFile, mayExceedCache: boolean) => {
    const path = pathOf(part, name);
    // A manifest has a few kilobytes.
    if (name !== MANIFEST_FILE && !(await makeRoom(bytes)) && !mayExceedCache)
      throw new ArchiveStorageError(
        'All local copies of archived events are in use. Try again in a few minutes, or raise ARCHIVE_CACHE_MEGABYTES.',
      );
    const object = await withStorageErrors(openObject(part, name));
    if (!object) throw new ArchiveStorageError(`The bucket of the archive has no ${nameOf(part, name)}.`);
    const draft = `${path}.${randomUUID()}.download`;
    try {
      await createFolder(dirname(path));
      const hash = createHash('sha256');
      await withStorageErrors(
        pipeline(
          object,
          passAtMost(bytes, (chunk) => hash.update(chunk)),
          createWriteStream(draft, { mode: 0o600, flush: true }),
        ),
      );
      if (hash.digest('hex') !== sha256)
        throw new ArchiveStorageError(
          `${nameOf(part, name)} in the bucket of the archive does not match its checksum.`,
        );
      await rename(draft, path);
    } finally {
      object.destroy();
      await rm(draft, { force: true });
    }
  };

  /** Downloads a file, or waits for the download of another reader. */
  const fetchFile = (part: PartRef, file: ExpectedFile, { signal, mayExceedCache = false }: FetchOptions) =>
    downloadOnce(part.tenantId, pathOf(part, file.name), () => download(part, file, mayExceedCache), signal);

  const readManifest = async (part: StoredPart, options: FetchOptions): Promise<PartManifest> => {
    const path = pathOf(part, MANIFEST_FILE);
    const sha256 = part.manifestHash.toString('hex');
    const local = await readFile(path).catch(() => undefined);
    if (local && createHash('sha256').update(local).digest('hex') !== sha256)
      // Copies of a part that another database had under this name.
      await removePart(root, part);
    else if (local) return JSON.parse(local.toString()) as PartManifest;
    await fetchFile(part, { name: MANIFEST_FILE, sha256, bytes: MAX_MANIFEST_BYTES }, options);
    return JSON.parse(await readFile(path, 'utf8')) as PartManifest;
  };

  return {
    async upload(part) {
      // The manifest is last, so a part with it is complete.
      for (const file of PART_FILES) {
        const path = join(draftFolder(root, part), file);
        await withStorageErrors((await openForWrites()).copyFromFs(path, keyOf(part, file)));
        const object = await withStorageErrors(openObject(part, file));
        const stored = object && (await withStorageErrors(hashFile(object)));
        if (stored !== (await hashFile(path)))
          throw new ArchiveStorageError(`The bucket of the archive has not stored ${nameOf(part, file)}.`);
      }
    },

    async remove(part) {
      for (const file of PART_FILES.toReversed())
        await withStorageErrors((await openForWrites()).delete(keyOf(part, file)));
    },

    async listParts(tenantId) {
      const found = new Map<string, PartRef>();
      let paginationToken: string | undefined;
      do {
        const page = await withStorageErrors(
          (await openForReads()).listAll(objectKey(storage, `${tenantId}/`), {
            recursive: true,
            ...(paginationToken !== undefined && { paginationToken }),
          }),
        );
        for (const object of page.objects) {
          const part = 'key' in object ? parsePartName(tenantId, dirname(object.key)) : undefined;
          if (part) found.set(partName(part), part);
        }
        ({ paginationToken } = page);
      } while (paginationToken !== undefined);
      return [...found.values()];
    },

    async fetch(parts, names, options = {}) {
      const wanted: { part: StoredPart; file: PartManifest['files'][number] }[] = [];
      for (const part of parts)
        for (const file of (await readManifest(part, options)).files)
          if (names.includes(file.name)) wanted.push({ part, file });
      const bytes = wanted.reduce((sum, { file }) => sum + file.bytes, 0);
      const isTooLarge = bytes > cacheBytes;
      if (isTooLarge && parts.length > 1 && !options.mayExceedCache)
        throw new ArchiveTooLargeError(
          `The range has ${inMegabytes(bytes)} MB of archived events to read at once, and this server reads at most ` +
            `${inMegabytes(cacheBytes)} MB. Ask for a shorter range, or raise ARCHIVE_CACHE_MEGABYTES.`,
        );
      const markPresent = ({ part, file }: (typeof wanted)[number]) =>
        markUsed(pathOf(part, file.name), file.bytes);
      // Otherwise, the download of a later file, here or in another process, could delete an earlier one.
      const marking = setInterval(() => void wanted.map(markPresent), MARKING_INTERVAL_MS);
      try {
        await Promise.all(
          wanted.map(async ({ part, file }) => {
            if (!(await markPresent({ part, file })))
              await fetchFile(part, file, {
                ...options,
                mayExceedCache: options.mayExceedCache || isTooLarge,
              });
          }),
        );
      } finally {
        clearInterval(marking);
      }
    },

    async deleteOldCopies() {
      await deleteLeastRecent(root, 0, cacheBytes);
    },

    check: (part) => withStorageErrors(checkFiles((file) => openObject(part, file), part.manifestHash)),
  };
}

const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

/** Turns failures of the bucket into one error. */
async function withStorageErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { cause = error } = error as Error;
    const { message } = cause as Error;
    throw new ArchiveStorageError(`The bucket of the archive does not answer: ${message}`, { cause });
  }
}

/** Passes chunks on, and throws if they have more than `bytes` bytes. */
const passAtMost = (bytes: number, onChunk: (chunk: Buffer) => void) =>
  async function* pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let passed = 0;
    for await (const chunk of chunks) {
      passed += chunk.length;
      if (passed > bytes) throw new ArchiveStorageError('An object of the archive is too large.');
      onChunk(chunk);
      yield chunk;
    }
  };
