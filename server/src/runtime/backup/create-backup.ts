import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdCompress } from 'node:zlib';
import { OperatorError } from '../../core/operator-error.ts';
import { pathExists } from '../../core/path-exists.ts';
import { version } from '../../core/version.ts';
import { withDatabaseAt } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { openStorage } from '../../database/storage.ts';
import type { Config } from '../config.ts';
import { streamBaseBackup } from './base-backup.ts';
import { ARCHIVES, hashFile, writeManifest } from './manifest.ts';

const execute = promisify(execFile);

/**
 * Creates `folder` with a copy of the embedded database, of the avatars in a folder and of the archived events. The server may run. The copy has each
 * transaction that was committed before the call. Throws {@link OperatorError} if the folder exists, or for another database.
 */
export async function createBackup(
  config: Config,
  folder: string,
): Promise<{ bytes: number; seconds: number }> {
  if (config.databaseUrl)
    throw new OperatorError(
      'DATABASE_URL is set, and guildhall backs up the embedded database only. Use the tools of that server: docs/backup.md.',
    );
  const target = resolve(folder);
  if (await pathExists(target)) throw new OperatorError(`${target} exists already. Name a new folder.`);
  const draft = `${target}.partial-${process.pid}`;
  const started = performance.now();
  const storage = await openStorage(config, 'shared', { mustExist: true });
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const postgres = join(draft, ARCHIVES.postgres);
    await writeArchive(postgres, (archive) => streamBaseBackup(storage.url, archive));
    const archives: Record<string, string> = { [ARCHIVES.postgres]: postgres };
    const avatars = config.avatarStorage.kind === 'folder' ? config.avatarStorage.path : undefined;
    // Files come after the rows that name them.
    const folders = {
      [ARCHIVES.avatars]: avatars,
      [ARCHIVES.events]: config.archiveBucket ? undefined : config.archiveDir,
    };
    for (const [name, source] of Object.entries(folders)) {
      if (!source || !(await pathExists(source))) continue;
      const path = (archives[name] = join(draft, name));
      await writeArchive(path, (archive) => packFolder(source, archive));
    }
    const sha256 = Object.fromEntries(
      await Promise.all(Object.entries(archives).map(async ([name, path]) => [name, await hashFile(path)])),
    ) as Record<string, string>;
    const createdAt = new Date().toISOString();
    const postgresql = await readPostgresVersion(storage.url);
    await writeManifest(draft, { format: 1, guildhall: version, postgresql, createdAt, sha256 });
    await rename(draft, target);
    await syncFolder(dirname(target));
    const sizes = await Promise.all(Object.keys(archives).map((name) => stat(join(target, name))));
    return {
      bytes: sizes.reduce((sum, { size }) => sum + size, 0),
      seconds: Math.ceil((performance.now() - started) / 1000),
    };
  } finally {
    await rm(draft, { recursive: true, force: true });
    await storage.close();
  }
}

/** Compresses what `write` writes, and flushes the file to the disk. */
async function writeArchive(path: string, write: (archive: Writable) => Promise<void>): Promise<void> {
  const compress = createZstdCompress();
  const written = pipeline(compress, createWriteStream(path, { mode: 0o600, flush: true }));
  // A failure of the disk is also the failure of what is written.
  written.catch((error: Error) => compress.destroy(error));
  await write(compress);
  compress.end();
  await written;
}

/** Files may be written and removed meanwhile. Those that the copied database names do not change. */
async function packFolder(folder: string, archive: Writable): Promise<void> {
  const isGnu = /GNU tar/.test((await execute('tar', ['--version'])).stdout);
  // GNU tar ends with 1 if a file changed or was removed while it was read. Other programs do so for each failure.
  const [changes, complete] = isGnu
    ? [
        ['--warning=no-file-changed', '--warning=no-file-removed'],
        [0, 1],
      ]
    : [[], [0]];
  const tar = spawn('tar', [...changes, '-c', '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(tar, 'exit') as Promise<[number | null]>;
  for await (const chunk of tar.stdout) if (!archive.write(chunk)) await once(archive, 'drain');
  const [code] = await ended;
  if (code === null || !complete.includes(code))
    throw new OperatorError(`The files in ${folder} cannot be read (tar ended with ${code}).`);
}

async function readPostgresVersion(url: string): Promise<string> {
  const row = await withDatabaseAt(url, (database) =>
    database.row<{ version: string }>(sql`SELECT current_setting('server_version') AS version`),
  );
  return row?.version ?? '';
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync();
  await folder.close();
}
