import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { isDatabaseUnavailable } from '../../core/database-unavailable.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { pathExists } from '../../core/path-exists.ts';
import { untilAborted } from '../../core/concurrency/until-aborted.ts';
import { createFolder } from '../../core/writable-folder.ts';
import { version } from '../../core/version.ts';
import { withDatabaseAt } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { clusterIn } from '../../database/embedded/data-folder.ts';
import { openOwnerPool } from '../../database/pool.ts';
import { openStorage } from '../../database/storage.ts';
import { withArchiveLock } from '../../features/gameplay/events/index.ts';
import type { Config } from '../config.ts';
import { streamBaseBackup } from './base-backup.ts';
import { ARCHIVES, foldersOf, writeManifest } from './manifest.ts';
import { isGnuTar, started } from './tar.ts';

/**
 * Creates `folder` with a copy of the embedded database, of the avatars in a folder and of the archived events. The server may run. The
 * copy has each transaction that was committed before the call. Calls `onBytes` with the size of each part that it writes. Throws
 * {@link OperatorError} if the folder exists or cannot be written, if another process changes the archive, for another database, and when
 * the signal is aborted. A failure leaves no files.
 */
export async function createBackup(
  config: Config,
  folder: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (config.databaseUrl)
    throw new OperatorError(
      'DATABASE_URL is set, and guildhall backs up the embedded database only. Use the tools of that server: docs/backup.md.',
    );
  const target = resolve(folder);
  if (await pathExists(target)) throw new OperatorError(`${target} exists already. Name a new folder.`);
  for (const source of [clusterIn(config.dataDir), ...foldersOf(config).map(({ path }) => path)])
    if (relative(source, target).split(sep)[0] !== '..')
      throw new OperatorError(`${target} is in ${source}, which the backup copies. Name a folder elsewhere.`);
  const draft = `${target}.partial-${process.pid}`;
  const storage = await openStorage(config, 'shared', { mustExist: true });
  try {
    const write = () => writeBackup(config, storage.url, draft, onBytes);
    await untilAborted(signal, withUnchangedArchive(config, storage.url, write));
    await rename(draft, target);
    await syncFolder(dirname(target));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined || isDatabaseUnavailable(error as Error))
      throw error;
    throw new OperatorError(
      `The backup could not be written to ${target} (${(error as Error).message}). Name a folder on a volume that is writable and has room.`,
      { cause: error },
    );
  } finally {
    // An interrupted backup may still write files while its folder is removed.
    await rm(draft, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    await storage.close();
  }
}

/** Runs work while no other process changes the archive, if it is in a folder: its copy must be that of the copied database. */
async function withUnchangedArchive(
  { archiveBucket }: Config,
  databaseUrl: string,
  work: () => Promise<void>,
): Promise<void> {
  if (archiveBucket) return work();
  const owner = openOwnerPool(databaseUrl, 1);
  try {
    await withArchiveLock(owner, work);
  } finally {
    await owner.end();
  }
}

/** Writes a whole backup to a new folder. */
async function writeBackup(
  config: Config,
  databaseUrl: string,
  folder: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await createFolder(folder);
  const sha256: Record<string, string> = {};
  const add = async (name: string, write: (archive: Writable) => Promise<void>): Promise<void> => {
    sha256[name] = await writeArchive(join(folder, name), write, onBytes);
  };
  await add(ARCHIVES.postgres, (archive) => streamBaseBackup(databaseUrl, archive));
  // Files come after the rows that name them.
  for (const { path, archive: name } of foldersOf(config))
    if (await pathExists(path)) await add(name, (archive) => packFolder(path, archive));
  const createdAt = new Date().toISOString();
  const postgresql = await readPostgresVersion(databaseUrl);
  await writeManifest(folder, { format: 1, guildhall: version, postgresql, createdAt, sha256 });
}

/** Compresses the output of `write`, and flushes the file to the disk. Returns its SHA-256. */
async function writeArchive(
  path: string,
  write: (archive: Writable) => Promise<void>,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const compress = createZstdCompress();
  const hash = createHash('sha256');
  compress.on('data', (part: Buffer) => {
    hash.update(part);
    onBytes(part.length);
  });
  const written = pipeline(compress, createWriteStream(path, { mode: 0o600, flush: true }));
  // If the disk fails, `write` fails too.
  written.catch((error: Error) => compress.destroy(error));
  await write(compress);
  compress.end();
  await written;
  return hash.digest('hex');
}

/** Avatars may be written and removed meanwhile. Archived events are not, because the backup holds the lock of the archive. */
async function packFolder(folder: string, archive: Writable): Promise<void> {
  // GNU tar ends with 1 if a file changed or was removed while it was read. Other programs do so for each failure.
  const isGnu = await isGnuTar();
  const changes = isGnu ? ['--warning=no-file-changed', '--warning=no-file-removed'] : [];
  const tar = await started(
    spawn('tar', [...changes, '-c', '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const ended = once(tar, 'exit') as Promise<[number | null]>;
  // Also fails if the archive fails while tar writes nothing.
  await pipeline(tar.stdout, archive, { end: false });
  const [code] = await ended;
  if (code !== 0 && !(isGnu && code === 1))
    throw new OperatorError(`The files in ${folder} cannot be read (tar ended with ${code}).`);
}

async function readPostgresVersion(url: string): Promise<string> {
  const { version } = await withDatabaseAt(url, (database) =>
    database.one<{ version: string }>(sql`SELECT current_setting('server_version') AS version`),
  );
  return version;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync();
  await folder.close();
}
