import { spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { OperatorError } from '../../core/operator-error.ts';
import { untilAborted } from '../../core/concurrency/until-aborted.ts';
import { requireWritableFolder } from '../../core/writable-folder.ts';
import { withDatabaseAt } from '../../database/database.ts';
import { draftCluster } from '../../database/embedded/cluster-draft.ts';
import { openStorage } from '../../database/storage.ts';
import { openRootKey } from '../../features/platform/master-keys/index.ts';
import type { Config } from '../config.ts';
import { readMasterKey } from '../../security/master-key.ts';
import { ARCHIVES, checkArchives, foldersOf, readArchive, readManifest, sizeOfArchives } from './manifest.ts';
import { started } from './tar.ts';

const CLOSED_PIPE = ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

interface RestoreSteps<Result> {
  /** Runs after everything is unpacked, with the PostgreSQL of the backup. */
  verify: (url: string) => Promise<Result>;
  /** Shows a line that changes, while some work runs. */
  withProgress: (line: () => string, work: () => Promise<void>) => Promise<void>;
}

/**
 * Creates DATA_DIR from a backup, after it has run `verify` with its PostgreSQL. DATA_DIR may contain the master key, and
 * nothing else. Throws {@link OperatorError} if the backup is damaged, the key is missing or wrong, a folder of files is not empty, or the
 * signal is aborted. Then all folders are as before.
 */
export async function restoreBackup<Result>(
  config: Config,
  folder: string,
  signal: AbortSignal,
  { verify, withProgress }: RestoreSteps<Result>,
): Promise<Result> {
  const { dataDir } = config;
  if (config.databaseUrl)
    throw new OperatorError(
      'DATABASE_URL is set, and guildhall restores the embedded database only. Unset it.',
    );
  await requireEmpty(
    dataDir,
    `DATA_DIR ${dataDir} is not empty. Set DATA_DIR to a folder that is empty or does not exist.`,
  );
  // A wrong folder is named before a missing key. The archives are read last, because that takes long.
  const manifest = await readManifest(folder);
  const masterKey = await readMasterKey(config);
  if (!masterKey)
    throw new OperatorError(
      `The backup has no master key. Set MASTER_KEY, or copy the file master.key into ${dataDir} first.`,
    );
  const all = inMegabytes(await sizeOfArchives(folder, manifest));
  let checked = 0;
  await withProgress(
    () => `Checked ${inMegabytes(checked)} of ${all} MB of the backup.`,
    () =>
      untilAborted(
        signal,
        checkArchives(folder, manifest, (bytes) => (checked += bytes)),
      ),
  );

  const folders = foldersOf(config).filter(({ archive }) => archive in manifest.sha256);
  for (const { path } of folders)
    await requireEmpty(path, `The folder ${path} is not empty. Remove what it contains.`);

  // The database appears when everything is unpacked and verified, so that nobody starts a server on half a backup.
  await using draft = await draftCluster(dataDir);
  // After a failure, a second attempt must find the folders as this one did.
  await using unpacked = new AsyncDisposableStack();
  for (const { path, setting } of folders) {
    const created = await requireWritableFolder(setting, path);
    unpacked.defer(() => (created ? rm(created, { recursive: true, force: true }) : empty(path)));
  }
  let read = 0;
  const unpackTo = (target: string, name: string): Promise<void> =>
    unpack(join(folder, name), target, signal, (bytes) => (read += bytes));
  await withProgress(
    () => `Unpacked ${inMegabytes(read)} of ${all} MB of the backup.`,
    async () => {
      await draft.fill((cluster) => unpackTo(cluster, ARCHIVES.postgres));
      for (const { path, archive } of folders) await unpackTo(path, archive);
    },
  );
  const result = await checkDraft(draft.dataDir, masterKey, (url) => untilAborted(signal, verify(url)));
  await draft.publish();
  unpacked.move();
  return result;
}

/** Runs `verify` with PostgreSQL on an unpacked database, after a check of the master key. */
async function checkDraft<Result>(
  dataDir: string,
  masterKey: Buffer,
  verify: (url: string) => Promise<Result>,
): Promise<Result> {
  const storage = await openStorage({ databaseUrl: undefined, dataDir }, 'exclusive');
  try {
    await withDatabaseAt(storage.url, (database) => openRootKey(database, masterKey));
    return await verify(storage.url);
  } finally {
    await storage.close();
  }
}

/** The files that the folders of a restore may contain: the master key of DATA_DIR, and the root of a new volume. */
const KEPT_FILES = ['master.key', 'lost+found'];

/** Accepts a folder that does not exist. Throws {@link OperatorError} with the message. */
async function requireEmpty(folder: string, message: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OperatorError(`The folder ${folder} cannot be read (${error.message}).`, { cause: error });
  });
  if (found.some((name) => !KEPT_FILES.includes(name))) throw new OperatorError(message);
}

/** Deletes what a restore has written to a folder. The folder may be the root of a volume. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (!KEPT_FILES.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
}

const inMegabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

/** Calls `onBytes` with the size of each part of the archive that was read. */
async function unpack(
  archive: string,
  folder: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const tar = spawn('tar', ['-x', '-C', folder, '--no-same-owner'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // The signal may be aborted already. After the end of tar, it has no effect.
  addAbortListener(signal, () => tar.kill());
  await started(tar);
  const ended = once(tar, 'exit') as Promise<[number | null]>;
  const fed = pipeline(readArchive(archive, onBytes), createZstdDecompress(), tar.stdin);
  // tar ends at the end mark of the archive, and may leave the padding after it unread. That closes the pipe early.
  const failure = await fed.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  const [code] = await ended;
  signal.throwIfAborted();
  if (failure && !CLOSED_PIPE.includes(failure.code ?? '')) throw failure;
  if (code !== 0) throw new OperatorError(`${archive} cannot be unpacked (tar ended with ${code}).`);
}
