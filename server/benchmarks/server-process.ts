import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../acceptance/free-port.ts';
import { startEmbeddedServer } from '../src/database/embedded-server.ts';
import { SERVER_NODE_OPTIONS } from '../node-options.ts';
import { TEST_MASTER_KEY } from '../src/testing/test-app.ts';

const CLI = fileURLToPath(new URL('../src/cli/index.ts', import.meta.url));

/** A server in its own processes: Node, and PostgreSQL with the durability settings of production. */
export interface ServerProcess {
  url: string;
  owner: pg.Pool;
  databaseUrl: string;
  pid: number;
  /** Resident memory of the Node process in MiB. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

export async function startServerProcess(): Promise<ServerProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  const port = await freePort();
  const child = spawn(process.execPath, [...SERVER_NODE_OPTIONS, CLI, 'serve', '--no-worker'], {
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
  });
  await untilListening(child);
  const database = await startEmbeddedServer(dataDir);
  const databaseUrl = database.url('guildhall');
  const owner = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  return {
    url: `http://127.0.0.1:${port}`,
    owner,
    databaseUrl,
    pid: child.pid!,
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    async stop() {
      await owner.end();
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      await rm(dataDir, { recursive: true, force: true });
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
