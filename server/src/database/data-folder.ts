import { chmod, chown, mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../core/operator-error.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Creates the data folder, which only PostgreSQL's user and root may access. Throws {@link OperatorError} if it is a file, or if
 * this process cannot write to it.
 */
export async function prepareDataFolder(folder: string, owner: Owner | undefined): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    if (owner) await chown(folder, owner.uid, owner.gid);
    // Only an attempt shows whether the file system is writable and has room.
    await rmdir(await mkdtemp(join(folder, 'probe-')));
  } catch (error) {
    throw new OperatorError(await describeProblem(folder, error as NodeJS.ErrnoException), { cause: error });
  }
}

async function describeProblem(folder: string, { code, message }: NodeJS.ErrnoException): Promise<string> {
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return `DATA_DIR must be a folder, but ${folder} is a file or is below one. Set DATA_DIR to another path.`;
    case 'EACCES':
    case 'EPERM': {
      const { username } = userInfo();
      const exists = await stat(folder).then(
        () => true,
        () => false,
      );
      const remedy = exists
        ? `run "sudo chown -R ${username} '${folder}'"`
        : `run "sudo install -d -m 700 -o ${username} '${folder}'"`;
      return `DATA_DIR is ${folder}, where the system user ${username} may not write. As an administrator ${remedy}, or set DATA_DIR to another path.`;
    }
    case 'EROFS':
      return `DATA_DIR is ${folder}, which is on a read-only file system. Set DATA_DIR to a folder on a writable volume.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `DATA_DIR is ${folder}, whose file system is full. Free some space, or set DATA_DIR to a folder on another volume.`;
    default:
      return `DATA_DIR is ${folder}, which cannot be used (${message}). Set DATA_DIR to another path.`;
  }
}
