import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../acceptance/eventually.ts';
import { freePort } from '../../acceptance/free-port.ts';
import { childrenOf, dataFolder, exitOf, postgresOf } from '../../acceptance/server-process.ts';
import { SUPERVISOR } from '../../built-programs.ts';
import { createServerDatabase } from '../../src/testing/server-database.ts';
import { TEST_MASTER_KEY } from '../../src/testing/test-vault.ts';

const METRICS_TOKEN = 'the-token-of-the-load-test';

/** A server as `npm start` runs it: supervised, with its memory limit, its worker, and an embedded PostgreSQL that waits for the disk. */
export interface ProductionServer {
  url: string;
  owner: pg.Pool;
  /** The process that answers requests. It changes if the supervisor restarts the server. */
  pid(): number | undefined;
  /** The memory of the server and of all processes of PostgreSQL in bytes, without files and without shared memory. */
  memory(): { server: number; postgres: number };
  /** How many files and sockets the server has open. */
  openFiles(): number;
  /** The metrics: each value by its name and labels. */
  metrics(): Promise<Map<string, number>>;
  output(): string;
  stop(): Promise<void>;
}

export async function startProductionServer(): Promise<ProductionServer> {
  const folder = dataFolder();
  await createServerDatabase(folder.path);
  const url = `http://127.0.0.1:${await freePort()}`;
  const supervisor = spawn(process.execPath, [SUPERVISOR, '--processes', '1'], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: folder.path,
      PORT: new URL(url).port,
      MASTER_KEY: TEST_MASTER_KEY,
      METRICS_TOKEN,
      GUILDHALL_DEMO: 'off',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder.path,
  });
  // If the supervisor dies, its server stops PostgreSQL and ends.
  const kill = (): void => void supervisor.kill('SIGKILL');
  process.once('exit', kill);
  let output = '';
  supervisor.stdout.on('data', (text) => (output += text));
  supervisor.stderr.on('data', (text) => (output += text));
  await eventually(async () => {
    if (supervisor.exitCode !== null) throw new Error(`The server ended: ${output}`);
    return (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true;
  }, 'the server is ready');

  const owner = new pg.Pool({
    host: join(folder.path, 'socket'),
    user: 'guildhall',
    database: 'guildhall',
    max: 2,
  });
  const pid = (): number | undefined => childrenOf(supervisor.pid!)[0];
  return {
    url,
    owner,
    pid,
    memory() {
      const postmaster = postgresOf(folder.path);
      const processes = postmaster === undefined ? [] : [postmaster, ...childrenOf(postmaster)];
      return {
        server: privateMemory(pid()),
        postgres: processes.reduce((sum, process) => sum + privateMemory(process), 0),
      };
    },
    openFiles: () => readdirSync(`/proc/${pid()}/fd`).length,
    async metrics() {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
      if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
      const lines = (await answer.text()).matchAll(/^([^#\s]+) (\S+)$/gm);
      return new Map([...lines].map(([, name = '', value]) => [name, Number(value)]));
    },
    output: () => output,
    async stop() {
      await owner.end();
      supervisor.kill('SIGTERM');
      await exitOf(supervisor);
      process.off('exit', kill);
      folder.remove();
    },
  };
}

/** The resident memory of a process that belongs to it alone. 0 if it has ended. */
function privateMemory(pid: number | undefined): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
