import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { GUILDHALL } from '../built-programs.ts';
import { freePort } from '../acceptance/free-port.ts';
import { startEmbeddedServer } from '../src/database/embedded/embedded-server.ts';
import { SERVER_NODE_OPTIONS } from '../node-options.ts';
import { createServerDatabase } from '../src/testing/server-database.ts';
import { TEST_MASTER_KEY } from '../src/testing/test-vault.ts';

/** A server in its own processes: Node, and PostgreSQL with the durability settings of production. */
export interface ServerProcess {
  url: string;
  dataDir: string;
  owner: pg.Pool;
  databaseUrl: string;
  pid: number;
  /** Resident memory of all Node processes in MiB. */
  memory(): Promise<number>;
  /** Processor time in milliseconds since the start: of all Node processes, of all processes of PostgreSQL, and of this process. */
  processorTime(): Promise<ProcessorTime>;
  stop(): Promise<void>;
}

export interface ProcessorTime {
  node: number;
  postgres: number;
  client: number;
}

/** Starts a server with a new data folder, which it deletes at the end. A `folder` that is given is kept. `worker` runs background jobs. */
export async function startServerProcess({
  processes = 1,
  folder,
  worker = false,
}: { processes?: number; folder?: string | undefined; worker?: boolean } = {}): Promise<ServerProcess> {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'guildhall-bench-')));
  await createServerDatabase(dataDir);
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      ...SERVER_NODE_OPTIONS,
      GUILDHALL,
      'serve',
      ...(worker ? [] : ['--no-worker']),
      '--processes',
      String(processes),
    ],
    {
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        PORT: String(port),
        MASTER_KEY: TEST_MASTER_KEY,
        GUILDHALL_DEMO: 'off',
        TRUST_PROXY: 'on',
        ACCOUNT_RATE_LIMIT: '1000000',
        NETWORK_RATE_LIMIT: '1000000',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: dataDir,
    },
  );
  await untilListening(child);
  const database = await startEmbeddedServer(dataDir);
  const databaseUrl = database.url('guildhall');
  const owner = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const { rows } = await owner.query('SELECT pg_backend_pid() AS pid');
  const postmasterPid = (await readStat(rows[0].pid)).parentPid;
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    owner,
    databaseUrl,
    pid: child.pid!,
    memory: () => memoryOf(child.pid!),
    async processorTime() {
      const { user, system } = process.cpuUsage();
      return {
        node: await nodeTime(child.pid!),
        postgres: await postgresTime(postmasterPid),
        client: (user + system) / 1000,
      };
    },
    async stop() {
      await owner.end();
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      if (!folder) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function untilListening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('answers at')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it listened.`)));
  });
}

/** Resident memory in MiB of a process and its children. */
export async function memoryOf(pid: number): Promise<number> {
  const statuses = await Promise.all(
    // A process may have ended since it was listed.
    (await withChildren(pid)).map((each) => readFile(`/proc/${each}/status`, 'utf8').catch(() => '')),
  );
  const sum = statuses.reduce((kib, status) => kib + Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0), 0);
  return Math.round(sum / 1024);
}

async function withChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

async function nodeTime(pid: number): Promise<number> {
  const stats = await Promise.all((await withChildren(pid)).map(readStat));
  return stats.reduce((sum, { ownMs }) => sum + ownMs, 0);
}

/** Linux counts processor time in ticks of 10 ms. */
const TICK_MS = 10;

interface ProcessStat {
  parentPid: number;
  /** User and system time of the process. */
  ownMs: number;
  /** The same of its children that have ended. */
  childrenMs: number;
}

async function readStat(pid: number | string): Promise<ProcessStat> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program is in parentheses, and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * TICK_MS;
  return { parentPid: Number(fields[1]), ownMs: ticks(11), childrenMs: ticks(13) };
}

/** The processor time of PostgreSQL: of the postmaster, and of its children, living and ended. */
async function postgresTime(postmasterPid: number): Promise<number> {
  const { ownMs, childrenMs } = await readStat(postmasterPid);
  let sum = ownMs + childrenMs;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readStat(name).catch(() => undefined);
    if (stat?.parentPid === postmasterPid) sum += (await exactTime(name)) ?? stat.ownMs;
  }
  return sum;
}

/** The processor time in milliseconds of the first thread of a process. Undefined if the kernel does not count nanoseconds. */
async function exactTime(pid: string): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text.split(' ')[0]) / 1e6;
}
