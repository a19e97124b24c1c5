import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from './operator-error.ts';
import { pathExists } from './path-exists.ts';

/**
 * Creates a folder and those above it, if they are missing. Returns the topmost one that it has created. The recursive `mkdir` of Node
 * never ends in a file system that answers with ENOENT, such as /proc.
 */
export async function createFolder(folder: string): Promise<string | undefined> {
  const above = (await pathExists(dirname(folder))) ? undefined : await createFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
    return above ?? folder;
  } catch (error) {
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw error;
    return above;
  }
}

/**
 * Creates the folder of a setting if it is missing, and sets its permissions with `protect`. Returns the topmost folder that it has
 * created. Throws {@link OperatorError} if this process cannot write to it.
 */
export async function requireWritableFolder(
  setting: string,
  folder: string,
  protect?: () => Promise<void>,
): Promise<string | undefined> {
  try {
    const created = await createFolder(folder);
    await protect?.();
    // Only an attempt shows whether the file system is writable and has room.
    await rmdir(await mkdtemp(join(folder, 'probe-')));
    return created;
  } catch (error) {
    throw new OperatorError(await describeProblem(setting, folder, error as NodeJS.ErrnoException), {
      cause: error,
    });
  }
}

async function describeProblem(
  setting: string,
  folder: string,
  { code, message }: NodeJS.ErrnoException,
): Promise<string> {
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return `${setting} must be a folder, but ${folder} is a file or is below one. Set ${setting} to another path.`;
    case 'EACCES':
    case 'EPERM': {
      const username = userName();
      const remedy = (await pathExists(folder))
        ? `run "sudo chown -R ${username} '${folder}'"`
        : `run "sudo install -d -m 700 -o ${username} '${folder}'"`;
      return `${setting} is ${folder}, where the system user ${username} may not write. As an administrator ${remedy}, or set ${setting} to another path.`;
    }
    case 'EROFS':
      return `${setting} is ${folder}, which is on a read-only file system. Set ${setting} to a folder on a writable volume.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${setting} is ${folder}, whose file system is full. Free some space, or set ${setting} to a folder on another volume.`;
    default:
      return `${setting} is ${folder}, which cannot be used (${message}). Set ${setting} to another path.`;
  }
}

/** The name of the current system user, or its id if it has no name: a container may run with any id. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
