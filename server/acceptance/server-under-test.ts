import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

/** A Guildhall as an operator runs it: the command line, a data folder of its own, a free port. */
export interface ServerUnderTest {
  dataDir: string;
  url: string;
  /** All that it has printed so far, over all its starts. */
  output(): string;
  /** Starts the process and waits until it is ready. */
  start(): Promise<void>;
  /** Sends a signal to the Node process and waits for its end; returns its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Kills Node and every process of PostgreSQL at once, as a crash of the machine would. */
  crash(): Promise<void>;
  /** Ends what still runs and removes the data. */
  remove(): Promise<void>;
}

export async function serverUnderTest(env: Record<string, string> = {}): Promise<ServerUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-acceptance-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let output = '';

  const ended = async (): Promise<number | null> => {
    const process = child!;
    if (process.exitCode === null && process.signalCode === null)
      await new Promise((resolve) => process.once('exit', resolve));
    return process.exitCode;
  };

  const server: ServerUnderTest = {
    dataDir,
    url,
    output: () => output,
    async start() {
      child = spawn(process.execPath, [CLI, 'serve'], {
        env: { ...process.env, LOG_LEVEL: 'error', ...env, DATA_DIR: dataDir, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const deadline = Date.now() + 60_000;
      while (!(await isReady(url))) {
        if (child.exitCode !== null || Date.now() > deadline)
          throw new Error(`The server did not start:\n${output}`);
        await sleep(50);
      }
    },
    async stop(signal) {
      child!.kill(signal);
      return ended();
    },
    async crash() {
      const victims = [child!.pid!, ...postgresProcesses(dataDir)];
      for (const pid of victims) kill(pid);
      await ended();
      while (victims.some(isAlive)) await sleep(10);
    },
    async remove() {
      if (child && child.exitCode === null && child.signalCode === null) await server.crash();
      for (const pid of postgresProcesses(dataDir)) kill(pid);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return server;
}

/** The postmaster of a data folder and its children. */
export function postgresProcesses(dataDir: string): number[] {
  let postmaster: number;
  try {
    postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  } catch {
    return [];
  }
  if (!isAlive(postmaster)) return [];
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === postmaster);
  return [postmaster, ...children];
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended; only its parent has not taken notice.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health/ready`).then(
    (answer) => answer.ok,
    () => false,
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
