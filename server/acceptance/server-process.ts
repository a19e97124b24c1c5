import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GUILDHALL } from '../built-programs.ts';
import { freePort } from './free-port.ts';

const START_WITHIN_MS = 150_000;

const spawned = new Set<ChildProcess>();
// A failed test may leave processes running. Their pipes would keep this process alive.
const killAll = (): void => spawned.forEach((child) => child.kill('SIGKILL'));
after(killAll);
process.on('exit', killAll);

/** A command of the command line in its own process, on a data folder. */
export interface CommandProcess {
  child: ChildProcess;
  /** The output so far. */
  output(): string;
  /** Sends a signal, waits for the exit, and returns the exit code or the signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** A server process, which may still be starting. */
export interface ServerProcess extends CommandProcess {
  url: string;
}

export interface CommandOptions {
  dataDir: string;
  env?: Record<string, string>;
  /** The system user of the process. */
  user?: { uid: number; gid: number } | undefined;
  /** Options of Node, such as a memory limit. */
  nodeOptions?: readonly string[];
  /** Whether it gets a process group of its own, as in a terminal. Default: false. */
  detached?: boolean;
}

export interface ServerOptions extends CommandOptions {
  /** The port to listen on. Default: a free port. */
  port?: number;
  /** How many processes answer requests. Default: 1. */
  processes?: number;
}

/** Starts a server without waiting for its readiness. */
export async function spawnServer({
  env = {},
  port: wanted,
  processes = 1,
  ...options
}: ServerOptions): Promise<ServerProcess> {
  const port = wanted ?? (await freePort());
  const command = spawnCommand(`serve --processes ${processes}`, {
    ...options,
    env: { PORT: String(port), ...env },
  });
  return { ...command, url: `http://127.0.0.1:${port}` };
}

/** Starts a command of the command line with its options. */
export function spawnCommand(
  command: string,
  { dataDir, env = {}, user, nodeOptions = [], detached = false }: CommandOptions,
): CommandProcess {
  const child = spawn(process.execPath, [...nodeOptions, GUILDHALL, ...command.split(' ')], {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      GUILDHALL_DEMO: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    detached,
    ...user,
  });
  spawned.add(child);
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return {
    child,
    output: () => output,
    async end(signal) {
      child.kill(signal);
      return exitOf(child);
    },
  };
}

/** Starts a server and waits until it is ready. If it exits instead, throws with its output. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = await spawnServer(options);
  if ((await answersOrEnds(server)) !== 'answers') throw new Error(`The server ended: ${server.output()}`);
  return server;
}

/** Waits until the server is ready or exits. */
export async function answersOrEnds(server: ServerProcess): Promise<'answers' | 'ends'> {
  const end = Date.now() + START_WITHIN_MS;
  while (Date.now() < end) {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return 'ends';
    const ready = await fetch(`${server.url}/health/ready`).catch(() => undefined);
    if (ready?.ok) return 'answers';
    await sleep(50);
  }
  throw new Error(`The server is not ready and does not exit: ${server.output()}`);
}

/** Waits for the exit of a process, and returns the exit code or the signal. */
export async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode ?? 'SIGKILL';
}

/** Creates a temporary data folder. `remove` also ends a PostgreSQL that still runs on it. */
export function dataFolder(owner?: { uid: number; gid: number }): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'guildhall-acceptance-'));
  if (owner) chownSync(path, owner.uid, owner.gid);
  return {
    path,
    remove() {
      endPostgres(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Kills a server and all processes of its PostgreSQL at once, like a crash of the machine. */
export async function crash(server: ServerProcess, dataDir: string): Promise<void> {
  server.child.kill('SIGKILL');
  killPostmaster(postgresOf(dataDir));
  await exitOf(server.child);
}

/** Kills all processes of a PostgreSQL at once. */
export function killPostmaster(postmaster: number | undefined): void {
  if (postmaster === undefined) return;
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}

/** The running child processes of a process. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The process id of the PostgreSQL on a data folder of a server. Undefined if none runs. */
export const postgresOf = (dataDir: string): number | undefined => postmasterOf(join(dataDir, 'postgres'));

/** The process id of the PostgreSQL on its data folder. Undefined if none runs. */
export function postmasterOf(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

/** Kills the PostgreSQL of a data folder, like a power failure. */
export function killPostgres(dataDir: string): void {
  const pid = postgresOf(dataDir);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

/** Ends the PostgreSQL of a data folder. After a SIGKILL, its shared memory would stay in /dev/shm until the machine restarts. */
function endPostgres(dataDir: string): void {
  const pid = postgresOf(dataDir);
  if (pid === undefined) return;
  process.kill(pid, 'SIGQUIT');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // PostgreSQL kills its processes after 5 seconds.
  for (let waits = 0; waits < 1_000 && postgresOf(dataDir) === pid; waits++) Atomics.wait(pause, 0, 0, 10);
}

/** An unprivileged user to run a server if the tests run as root. Undefined otherwise. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lookUp = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: lookUp('-u'), gid: lookUp('-g') };
}
