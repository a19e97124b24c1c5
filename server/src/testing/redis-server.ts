import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { freePort } from '../../acceptance/free-port.ts';

/** A Redis of a test's own, on a free port of the loopback, which keeps nothing on disk. */
export interface RedisServer {
  url: string;
  /** As by a crash: its data are gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  /** Stops it from answering, its connections open, until `resume`. */
  pause(): void;
  resume(): void;
}

/** Starts a Redis in some 30 ms, and kills it after the tests of the file. */
export async function startRedisServer(): Promise<RedisServer> {
  const port = await freePort();
  let process = await startProcess(port);
  const kill = async (): Promise<void> => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  after(kill);
  // Where the file itself failed, nothing is run after it.
  globalThis.process.once('exit', () => process.kill('SIGKILL'));
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async start() {
      await kill();
      process = await startProcess(port);
    },
    pause: () => void process.kill('SIGSTOP'),
    resume: () => void process.kill('SIGCONT'),
  };
}

async function startProcess(port: number): Promise<ChildProcess> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  redis.once('error', () => {
    throw new Error('The tests need Redis: install it, on Debian by `apt-get install redis-server`.');
  });
  for await (const line of createInterface({ input: redis.stdout })) {
    if (!line.includes('Ready to accept connections')) continue;
    redis.stdout.resume();
    return redis;
  }
  throw new Error('Redis ended before it was ready.');
}
