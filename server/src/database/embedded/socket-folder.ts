import { chmod, chown, mkdir, mkdtemp, rmdir, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Owner } from './data-folder.ts';

/** The path of a Unix socket may have 107 bytes. PostgreSQL's file name takes 14 of them. */
const MAX_SOCKET_FOLDER_BYTES = 90;

/**
 * Creates a folder for the socket that only PostgreSQL's user may access. If its path is too long or has special
 * characters, returns a symbolic link in the temporary folder.
 */
export async function createSocketFolder(folder: string, owner: Owner | undefined): Promise<string> {
  const path = join(folder, 'socket');
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (owner) await chown(path, owner.uid, owner.gid);
  if (Buffer.byteLength(path) <= MAX_SOCKET_FOLDER_BYTES && /^[\w./-]+$/.test(path)) return path;

  const linkFolder = await mkdtemp(join(tmpdir(), 'guildhall-'));
  if (owner) await chown(linkFolder, owner.uid, owner.gid);
  await symlink(path, join(linkFolder, 's'));
  return join(linkFolder, 's');
}

export async function removeSymlink(path: string): Promise<void> {
  await unlink(path).catch(() => {});
  await rmdir(dirname(path)).catch(() => {});
}
