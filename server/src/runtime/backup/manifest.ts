import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { hashFile } from '../../core/hash-file.ts';
import { OperatorError } from '../../core/operator-error.ts';
import type { Config } from '../config.ts';

/** The archives of a backup, compressed with zstd. */
export const ARCHIVES = {
  postgres: 'postgres.tar.zst',
  avatars: 'avatars.tar.zst',
  events: 'archived-events.tar.zst',
} as const;

/** A folder of files that a backup copies. */
interface FileFolder {
  path: string;
  setting: string;
  archive: string;
}

/** The folders of files that a backup copies. Files in a bucket are not copied. */
export function foldersOf({ avatarStorage, archiveBucket, archiveDir }: Config): FileFolder[] {
  const folders: FileFolder[] = [];
  if (avatarStorage.kind === 'folder')
    folders.push({ path: avatarStorage.path, setting: 'AVATAR_STORAGE_URL', archive: ARCHIVES.avatars });
  if (!archiveBucket) folders.push({ path: archiveDir, setting: 'ARCHIVE_DIR', archive: ARCHIVES.events });
  return folders;
}

const FILE = 'backup.json';

/** The contents of a backup. The manifest is written last, so a folder without it is not complete. */
export interface Manifest {
  format: 1;
  guildhall: string;
  postgresql: string;
  createdAt: string;
  /** The SHA-256 of each archive. */
  sha256: Record<string, string>;
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(manifest, undefined, 2)}\n`, { flush: true });
}

/** Reads the manifest. Throws {@link OperatorError} if the folder has none of this version. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new OperatorError(
      `${folder} contains no complete backup (${FILE} is missing). Name a folder that "guildhall backup" has created.`,
    );
  const manifest = parseManifest(text);
  if (!manifest) throw new OperatorError(`${join(folder, FILE)} is damaged. Use another backup.`);
  if (manifest.format !== 1)
    throw new OperatorError(
      `${folder} was created by a newer Guildhall (${manifest.guildhall}). Use that version.`,
    );
  return manifest;
}

/** The size of all archives in bytes. One that is missing has none. */
export async function sizeOfArchives(folder: string, { sha256 }: Manifest): Promise<number> {
  const sizes = Object.keys(sha256).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Reads an archive, and calls `onBytes` with the size of each part. */
export const readArchive = (path: string, onBytes: (bytes: number) => void): Readable =>
  createReadStream(path).on('data', (part: string | Buffer) => onBytes(part.length));

/** Compares the hash of each archive. Throws {@link OperatorError}. */
export async function checkArchives(
  folder: string,
  { sha256 }: Manifest,
  onBytes: (bytes: number) => void,
): Promise<void> {
  for (const [name, expected] of Object.entries(sha256)) {
    const path = join(folder, name);
    if ((await hashFile(readArchive(path, onBytes)).catch(() => undefined)) !== expected)
      throw new OperatorError(
        `${path} is missing or damaged: its SHA-256 is not that of ${FILE}. Use another backup.`,
      );
  }
}

/** Returns undefined for other texts, such as half of a manifest. Those of newer formats may have other members. */
function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Manifest;
    const isWhole = manifest.format === 1 ? ARCHIVES.postgres in manifest.sha256 : manifest.format > 1;
    return isWhole ? manifest : undefined;
  } catch {
    return undefined;
  }
}
