import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { OperatorError } from '../../core/operator-error.ts';
import { withDatabaseAt } from '../../database/database.ts';
import { createClusterFrom } from '../../database/embedded/cluster.ts';
import { openStorage } from '../../database/storage.ts';
import { checkMasterKey } from '../../features/platform/signing-keys/index.ts';
import type { Config } from '../config.ts';
import { readMasterKey } from '../../security/master-key.ts';
import { createVault } from '../../security/vault.ts';
import { ARCHIVES, checkBackup } from './manifest.ts';

const CLOSED_PIPE = ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

/**
 * Creates DATA_DIR from a backup, starts its PostgreSQL, and runs `verify` on it. DATA_DIR may contain the master key, and
 * nothing else. Throws {@link OperatorError} before it changes anything if the backup is damaged, the key is missing, or a folder of
 * files is not empty.
 */
export async function restoreBackup<Result>(
  config: Config,
  folder: string,
  verify: (url: string) => Promise<Result>,
): Promise<Result> {
  const { dataDir, avatarStorage, archiveBucket, archiveDir } = config;
  if (config.databaseUrl)
    throw new OperatorError(
      'DATABASE_URL is set, and guildhall restores the embedded database only. Unset it.',
    );
  await requireEmpty(
    dataDir,
    ['master.key'],
    `DATA_DIR ${dataDir} is not empty. Set DATA_DIR to a folder that is empty or does not exist.`,
  );
  const masterKey = await readMasterKey(config);
  if (!masterKey)
    throw new OperatorError(
      `The backup has no master key. Set MASTER_KEY, or copy the file master.key into ${dataDir} first.`,
    );
  const { sha256 } = await checkBackup(folder);

  const avatars = avatarStorage.kind === 'folder' ? avatarStorage.path : undefined;
  const folders = Object.entries({
    [ARCHIVES.avatars]: avatars,
    [ARCHIVES.events]: archiveBucket ? undefined : archiveDir,
  }).filter((entry): entry is [string, string] => entry[0] in sha256 && entry[1] !== undefined);
  for (const [, target] of folders)
    await requireEmpty(target, [], `The folder ${target} is not empty. Remove what it contains.`);

  // The database appears when everything is unpacked, so that nobody starts a server on half a backup.
  await createClusterFrom(dataDir, async (cluster) => {
    await unpack(join(folder, ARCHIVES.postgres), cluster);
    try {
      for (const [name, target] of folders) {
        await mkdir(target, { recursive: true, mode: 0o700 });
        await unpack(join(folder, name), target);
      }
    } catch (error) {
      for (const [, target] of folders) await empty(target);
      throw error;
    }
  });
  const storage = await openStorage(config, 'exclusive');
  try {
    await withDatabaseAt(storage.url, (database) => checkMasterKey(database, createVault(masterKey)));
    return await verify(storage.url);
  } finally {
    await storage.close();
  }
}

/** Accepts a folder that does not exist, and the root of a new volume. Throws {@link OperatorError} with the message. */
async function requireEmpty(folder: string, allowed: string[], message: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OperatorError(`The folder ${folder} cannot be read (${error.message}).`, { cause: error });
  });
  if (found.some((name) => name !== 'lost+found' && !allowed.includes(name)))
    throw new OperatorError(message);
}

/** Deletes what a folder contains. The folder may be the root of a volume. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name !== 'lost+found') await rm(join(folder, name), { recursive: true, force: true });
}

async function unpack(archive: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-C', folder, '--no-same-owner'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(tar, 'exit') as Promise<[number | null]>;
  const fed = pipeline(createReadStream(archive), createZstdDecompress(), tar.stdin);
  // tar ends at the end mark of the archive, and may leave the padding after it unread. That closes the pipe early.
  const failure = await fed.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  const [code] = await ended;
  if (failure && !CLOSED_PIPE.includes(failure.code ?? '')) throw failure;
  if (code !== 0) throw new OperatorError(`${archive} cannot be unpacked (tar ended with ${code}).`);
}
