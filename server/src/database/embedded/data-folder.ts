import { execFile } from 'node:child_process';
import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../core/operator-error.ts';
import { requireWritableFolder } from '../../core/writable-folder.ts';

const exec = promisify(execFile);

export interface Owner {
  uid: number;
  gid: number;
}

/** The folder of the database in a data folder. */
export const clusterIn = (folder: string): string => join(folder, 'postgres');

/** Whether the folder has a database. It also has one if this process cannot reach it: another user may own it. */
export const hasDatabase = (folder: string): Promise<boolean> =>
  stat(clusterIn(folder)).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );

/** The files that a data folder without a database may contain: those of Guildhall, hidden files, and the folder of a new file system. */
const KNOWN_FILES =
  /^(master\.key|avatars|archive|socket|restoring|new-cluster-.*|probe-.*|lost\+found|\..*)$/;

/**
 * Creates the data folder, which only PostgreSQL's user and root may access. `owner` is that user, if it is not the current one.
 * Throws {@link OperatorError} if it is a file, has files of other programs, has a database of another user, or if this process
 * cannot write to it. Then it changes nothing, because a server of the other user may be running.
 */
export async function prepareDataFolder(folder: string, owner: Owner | undefined): Promise<void> {
  await requireOwnFolder(folder, owner?.uid ?? userInfo().uid);
  await requireWritableFolder('DATA_DIR', folder, async () => {
    await chmod(folder, 0o700);
    if (owner) await chown(folder, owner.uid, owner.gid);
  });
}

async function requireOwnFolder(folder: string, uid: number): Promise<void> {
  const cluster = clusterIn(folder);
  const { uid: actual } = (await stat(cluster).catch(() => undefined)) ?? {};
  if (actual !== undefined && actual !== uid)
    throw new OperatorError(
      `${cluster} belongs to the system user ${await userName(actual)}, but PostgreSQL would run as ${await userName(uid)}. Start Guildhall as the user that created the data folder, such as with "sudo -u". Or set another DATA_DIR.`,
    );
  // A folder that does not exist or cannot be read is reported when it is used.
  const files = actual === undefined ? await readdir(folder).catch(() => []) : [];
  const foreign = files.find((file) => !KNOWN_FILES.test(file));
  if (foreign !== undefined)
    throw new OperatorError(
      `DATA_DIR is ${folder}, which has files of other programs, such as ${foreign}. Set DATA_DIR to a folder that is empty or does not exist.`,
    );
}

async function userName(uid: number): Promise<string> {
  return exec('id', ['-nu', String(uid)]).then(
    ({ stdout }) => stdout.trim(),
    () => `with the id ${uid}`,
  );
}
