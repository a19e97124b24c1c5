import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { OperatorError } from '../../core/operator-error.ts';
import { hashFile } from '../../core/hash-file.ts';
import { pathExists } from '../../core/path-exists.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { createFolder } from '../../core/writable-folder.ts';
import { version } from '../../core/version.ts';
import { withDatabaseAt } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { clusterIn } from '../../database/embedded/data-folder.ts';
import { openStorage } from '../../database/storage.ts';
import type { Config } from '../config.ts';
import { streamBaseBackup } from './base-backup.ts';
import { ARCHIVES, foldersOf, writeManifest } from './manifest.ts';
import { isGnuTar, started } from './tar.ts';

/**
 * Creates `folder` with a copy of the embedded database, of the avatars in a folder and of the archived events. The server may run. The copy has each
 * transaction that was committed before the call. Throws {@link OperatorError} if the folder exists or cannot be written, for another
 * database, and when the signal is aborted. A failure leaves no files.
 */
export async function createBackup(
  config: Config,
  folder: string,
  signal: AbortSignal,
): Promise<{ bytes: number; seconds: number }> {
  if (config.databaseUrl)
    throw new OperatorError(
      'DATABASE_URL is set, and guildhall backs up the embedded database only. Use the tools of that server: docs/backup.md.',
    );
  const target = resolve(folder);
  if (await pathExists(target)) throw new OperatorError(`${target} exists already. Name a new folder.`);
  for (const source of [clusterIn(config.dataDir), ...Object.values(foldersOf(config))])
    if (source && !relative(source, target).startsWith('..'))
      throw new OperatorError(`${target} is in ${source}, which the backup copies. Name a folder elsewhere.`);
  const draft = `${target}.partial-${process.pid}`;
  const started = performance.now();
  const storage = await openStorage(config, 'shared', { mustExist: true });
  try {
    const bytes = await untilAborted(signal, writeBackup(config, storage.url, draft));
    await rename(draft, target);
    await syncFolder(dirname(target));
    return { bytes, seconds: Math.ceil((performance.now() - started) / 1000) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
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

/** Writes a whole backup to a new folder, and returns the size of its archives in bytes. */
async function writeBackup(config: Config, databaseUrl: string, folder: string): Promise<number> {
  await createFolder(folder);
  const postgres = join(folder, ARCHIVES.postgres);
  await writeArchive(postgres, (archive) => streamBaseBackup(databaseUrl, archive));
  const archives: Record<string, string> = { [ARCHIVES.postgres]: postgres };
  // Files come after the rows that name them.
  for (const [name, source] of Object.entries(foldersOf(config))) {
    if (!source || !(await pathExists(source))) continue;
    const path = (archives[name] = join(folder, name));
    await writeArchive(path, (archive) => packFolder(source, archive));
  }
  const sha256 = Object.fromEntries(
    await Promise.all(Object.entries(archives).map(async ([name, path]) => [name, await hashFile(path)])),
  ) as Record<string, string>;
  const createdAt = new Date().toISOString();
  const postgresql = await readPostgresVersion(databaseUrl);
  await writeManifest(folder, { format: 1, guildhall: version, postgresql, createdAt, sha256 });
  const sizes = await Promise.all(Object.values(archives).map((path) => stat(path)));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

/** Compresses the output of `write`, and flushes the file to the disk. */
async function writeArchive(path: string, write: (archive: Writable) => Promise<void>): Promise<void> {
  const compress = createZstdCompress();
  const written = pipeline(compress, createWriteStream(path, { mode: 0o600, flush: true }));
  // If the disk fails, `write` fails too.
  written.catch((error: Error) => compress.destroy(error));
  await write(compress);
  compress.end();
  await written;
}

/** Files may be written and removed meanwhile. Those that the copied database names do not change. */
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
