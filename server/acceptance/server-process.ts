import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

const CLI = fileURLToPath(new URL('../src/cli/index.ts', import.meta.url));
const START_WITHIN_MS = 60_000;

const spawned = new Set<ChildProcess>();
// What a failed test has left running: its pipes would keep this process from ending.
const killAll = (): void => spawned.forEach((child) => child.kill('SIGKILL'));
after(killAll);
process.on('exit', killAll);

/** A command as its operator runs it: a process of its own, on a data folder. */
export interface CommandProcess {
  child: ChildProcess;
  /** All that it has printed so far. */
  output(): string;
  /** Sends a signal and waits for the end; the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** A server that listens, or is about to. */
export interface ServerProcess extends CommandProcess {
  url: string;
}

export interface CommandOptions {
  dataDir: string;
  env?: Record<string, string>;
  /** The system user to run it as. */
  user?: { uid: number; gid: number } | undefined;
  /** Options of Node, such as a memory limit. */
  nodeOptions?: readonly string[];
}

export interface ServerOptions extends CommandOptions {
  /** The port to listen on, where it matters; else a free one. */
  port?: number;
}

/** Starts a server and does not wait for it to answer. */
export async function spawnServer({
  env = {},
  port: wanted,
  ...options
}: ServerOptions): Promise<ServerProcess> {
  const port = wanted ?? (await freePort());
  const command = spawnCommand('serve', { ...options, env: { PORT: String(port), ...env } });
  return { ...command, url: `http://127.0.0.1:${port}` };
}

/** Starts a command of the command line, its options behind it. */
export function spawnCommand(
  command: string,
  { dataDir, env = {}, user, nodeOptions = [] }: CommandOptions,
): CommandProcess {
  const child = spawn(process.execPath, [...nodeOptions, CLI, ...command.split(' ')], {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error', GUILDHALL_DEMO: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
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

/** Starts a server and waits until it answers. Throws, with what it printed, where it ends instead. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = await spawnServer(options);
  if ((await answersOrEnds(server)) !== 'answers') throw new Error(`The server ended: ${server.output()}`);
  return server;
}

/** Waits for the first of two things. */
export async function answersOrEnds(server: ServerProcess): Promise<'answers' | 'ends'> {
  const end = Date.now() + START_WITHIN_MS;
  while (Date.now() < end) {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return 'ends';
    const ready = await fetch(`${server.url}/health/ready`).catch(() => undefined);
    if (ready?.ok) return 'answers';
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The server neither answers nor ends: ${server.output()}`);
}

/** The exit code of a process, or the signal that ended it, once it has. */
export async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode ?? 'SIGKILL';
}

/** A temporary folder for a server's data, and what removes it and stops a PostgreSQL that a failed test left on it. */
export function dataFolder(owner?: { uid: number; gid: number }): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'guildhall-acceptance-'));
  if (owner) chownSync(path, owner.uid, owner.gid);
  return {
    path,
    remove() {
      killPostgres(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Kills a server and every process of its PostgreSQL at the same moment, as a crash of the machine would. */
export async function crash(server: ServerProcess, dataDir: string): Promise<void> {
  const postmaster = postgresOf(dataDir);
  const children = postmaster === undefined ? [] : childrenOf(postmaster);
  for (const pid of [server.child.pid, postmaster, ...children]) {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  await exitOf(server.child);
}

/** The processes that a process has started and that still run. */
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

/** The process id of the PostgreSQL that runs on a data folder; undefined where none does. */
export function postgresOf(dataDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

/** Ends the PostgreSQL of a data folder as a power cut would. */
export function killPostgres(dataDir: string): void {
  const pid = postgresOf(dataDir);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

/** An ordinary user to run a server as, where the tests run as root; undefined where they already are one. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lookUp = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: lookUp('-u'), gid: lookUp('-g') };
}
