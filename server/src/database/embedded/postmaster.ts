import { once } from 'node:events';
import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { OperatorError } from '../../core/operator-error.ts';
import { ProgramError, type Programs } from './programs.ts';

/** The exit code of `pg_ctl status` when no server runs. */
const NOT_RUNNING = 3;

/** PostgreSQL creates postmaster.pid, and writes it at once. Only a power failure in between leaves an empty file for longer. */
const EMPTY_FOR_MS = 5_000;

/**
 * Whether PostgreSQL runs on a cluster. Removes the files of one that was killed, if they prevent a start. Throws {@link OperatorError}
 * if the cluster has no database, or is a copy of one that runs.
 */
export async function isRunning(programs: Programs, cluster: string): Promise<boolean> {
  try {
    await programs.run('pg_ctl', ['status', '-D', cluster]);
  } catch (error) {
    if (error instanceof ProgramError && error.code === NOT_RUNNING) return false;
    if (error instanceof ProgramError && error.stderr.includes('is empty')) return isBeingWritten(cluster);
    throw new OperatorError(
      `${cluster} contains no database that PostgreSQL can start. Restore DATA_DIR from a backup.`,
      { cause: error },
    );
  }
  // After a crash another program may have the old process id (a restarted container always reuses it), and PostgreSQL
  // would refuse to start. In a container without an init process, a dead PostgreSQL stays listed as a zombie.
  const { processId, dataFolder, socketFolder, port } = await readPidFile(cluster);
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => undefined);
  const runs = status === undefined || /^Name:\s+postgres\n(?:.*\n)*?State:\s+[^ZX]/.test(status);
  const isOfCopy = dataFolder !== '' && (await realPath(dataFolder)) !== (await realPath(cluster));
  if (runs && isOfCopy)
    throw new OperatorError(
      `${cluster} is a copy of ${dataFolder}, where PostgreSQL runs. Such a copy may be damaged: use "guildhall backup", or stop the server before you copy. If it is a snapshot of the file system, delete postmaster.pid in it.`,
    );
  if (runs) return true;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (socketFolder && !isOfCopy) await rm(join(socketFolder, `.s.PGSQL.${port}.lock`), { force: true });
  return false;
}

/** Whether a PostgreSQL that starts has not written postmaster.pid yet. Removes an old empty file, which prevents each start. */
async function isBeingWritten(cluster: string): Promise<boolean> {
  const file = join(cluster, 'postmaster.pid');
  const { size, mtimeMs } = (await stat(file).catch(() => undefined)) ?? { size: 0, mtimeMs: Date.now() };
  if (size > 0 || Date.now() - mtimeMs < EMPTY_FOR_MS) return true;
  await rm(file, { force: true });
  return false;
}

/** The path without symbolic links, or as it is if nothing is there. */
const realPath = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Tries to connect: a killed server is still listed as running and ready for a moment. */
export async function acceptsConnections({ status, socketFolder, port }: PidFile): Promise<boolean> {
  if (status !== 'ready') return false;
  const socket = connect(join(socketFolder, `.s.PGSQL.${port}`));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export type PidFile = Awaited<ReturnType<typeof readPidFile>>;

/**
 * Reads the status file of a running PostgreSQL. Values are empty if they are not written yet, or if the file is gone.
 */
export async function readPidFile(cluster: string) {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const [processId = '', dataFolder = '', , port = '', socketFolder = '', , , status = ''] = text.split('\n');
  return { processId, dataFolder, port, socketFolder, status: status.trim() };
}
