import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createRestartPauses } from '../core/restart-pause.ts';
import { killIfSilent } from '../processes/heartbeat.ts';
import { SERVER_NODE_OPTIONS } from '../../node-options.ts';
import { keepCompiledCode } from './compile-cache.ts';

/**
 * A message of a server to its supervisor. `stoppable`: from now on a signal stops it in order. `ready`: it answers requests, and sends
 * heartbeats.
 */
export type ServerMessage = 'stoppable' | 'ready';

/**
 * `npm start`: runs `guildhall serve` in a process of its own, and starts it again if it dies (a crash, no memory left, kill -9), or does
 * not respond. The supervisor ends if a signal stops the server. It also ends if the server exits before it has answered a request: then a
 * setting is wrong, and the server has printed which one.
 */
function supervise(serverArguments: string[]): void {
  const cli = fileURLToPath(new URL('index.ts', import.meta.url));
  let stoppable: ChildProcess | undefined;
  let stopSignal: NodeJS.Signals | undefined;
  let hasAnswered = false;
  const nextPause = createRestartPauses();
  let waiting: NodeJS.Timeout | undefined;

  const start = (): void => {
    waiting = undefined;
    // With a channel: if this process is killed, the server sees it close, and stops.
    const server = spawn(process.execPath, [...SERVER_NODE_OPTIONS, cli, 'serve', ...serverArguments], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    let answeredAt: number | undefined;
    server.on('message', (message: ServerMessage) => {
      if (message === 'ready') {
        hasAnswered = true;
        answeredAt = performance.now();
        killIfSilent(server, () => console.error('The server has not responded for 30 s.'));
      } else if (message === 'stoppable') {
        stoppable = server;
        if (stopSignal) server.kill(stopSignal);
      }
    });
    const startAgain = (end: string): void => {
      const wait = nextPause(answeredAt);
      console.error(`The server ${end}. It starts again in ${wait / 1000} s.`);
      waiting = setTimeout(start, wait);
    };
    server.on('exit', (code, signal) => {
      stoppable = undefined;
      if (stopSignal || code === 0 || (code !== null && !hasAnswered)) process.exit(code ?? 1);
      startAgain(signal ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
    server.on('error', (error) => {
      // If the system creates no process, `exit` does not follow. An update replaces the file of Node, for example.
      if (server.pid !== undefined) return;
      if (!stopSignal && hasAnswered) return startAgain(`was not created (${error.message})`);
      console.error(`The server was not created (${error.message}).`);
      process.exit(1);
    });
  };

  const stop = (signal: NodeJS.Signals): void => {
    stopSignal = signal;
    stoppable?.kill(signal);
    if (!waiting) return;
    // PostgreSQL still runs, because the server died. Another server stops it in order.
    clearTimeout(waiting);
    start();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // The server replaces its processes (docs/operations.md).
  process.on('SIGUSR2', () => stoppable?.kill('SIGUSR2'));
  start();
}

if (import.meta.main) {
  keepCompiledCode();
  supervise(process.argv.slice(2));
}
