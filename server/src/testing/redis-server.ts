import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { freePort } from '../../acceptance/free-port.ts';

/** A Redis server for tests on a free loopback port, without persistence. */
interface RedisServer {
  url: string;
  /** Kills the server, like a crash. Its data are lost. */
  kill(): Promise<void>;
  /** Restarts the server on the same port, without data. */
  start(): Promise<void>;
  /** Pauses the server until `resume`. Its connections stay open. */
  pause(): void;
  resume(): void;
}

/** Starts a Redis in about 30 ms, and kills it after the tests of the file. `settings` are arguments of `redis-server`. */
export async function startRedisServer(...settings: string[]): Promise<RedisServer> {
  const port = await freePort();
  let process = await startProcess(port, settings);
  const kill = async (): Promise<void> => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  };
  after(kill);
  // If the test file itself fails, `after` hooks do not run.
  globalThis.process.once('exit', () => process.kill('SIGKILL'));
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async start() {
      await kill();
      process = await startProcess(port, settings);
    },
    pause: () => void process.kill('SIGSTOP'),
    resume: () => void process.kill('SIGCONT'),
  };
}

async function startProcess(port: number, more: string[]): Promise<ChildProcess> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', [...settings, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
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
