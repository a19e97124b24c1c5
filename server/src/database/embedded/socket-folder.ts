import { chmod, chown, mkdtemp, rmdir, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../core/operator-error.ts';
import { createFolder } from '../../core/writable-folder.ts';
import type { Owner } from './data-folder.ts';

/** The path of a Unix socket may have 107 bytes. PostgreSQL's file name takes 14 of them. */
const MAX_SOCKET_FOLDER_BYTES = 90;

const canHoldSocket = (path: string): boolean =>
  Buffer.byteLength(path) <= MAX_SOCKET_FOLDER_BYTES && /^[\w./-]+$/.test(path);

/**
 * Creates a folder for the socket that only PostgreSQL's user may access. If its path is too long or has special characters, returns a
 * symbolic link in the temporary folder. Throws {@link OperatorError} if the link cannot be created there.
 */
export async function createSocketFolder(folder: string, owner: Owner | undefined): Promise<string> {
  const path = join(folder, 'socket');
  await createFolder(path);
  await chmod(path, 0o700);
  if (owner) await chown(path, owner.uid, owner.gid);
  if (canHoldSocket(path)) return path;
  try {
    return await createLink(path, owner);
  } catch (error) {
    throw new OperatorError(
      `The path of DATA_DIR is too long for the socket of PostgreSQL, or has special characters. The server cannot create a link to it in the folder for temporary files: ${(error as Error).message}. Set DATA_DIR to a path such as /var/lib/guildhall, or TMPDIR to a folder such as /tmp that exists and is writable.`,
      { cause: error },
    );
  }
}

async function createLink(path: string, owner: Owner | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-'));
  const link = join(folder, 's');
  if (!canHoldSocket(link)) {
    await rmdir(folder);
    throw new Error(`${tmpdir()} is too long, or has special characters`);
  }
  if (owner) await chown(folder, owner.uid, owner.gid);
  await symlink(path, link);
  return link;
}

export async function removeSymlink(path: string): Promise<void> {
  await unlink(path).catch(() => {});
  await rmdir(dirname(path)).catch(() => {});
}
