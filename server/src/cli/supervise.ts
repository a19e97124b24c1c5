import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createRestartPause } from '../core/restart-pause.ts';
import { SERVER_NODE_OPTIONS } from '../../node-options.ts';

/** What a server process tells its supervisor: signals stop it in order from now on; it answers requests. */
export type ServerMessage = 'stoppable' | 'ready';

/**
 * `npm start`: runs `guildhall serve` in a process of its own, and starts it again if it dies (a crash, the end of its memory,
 * kill -9). It ends with the server if that is told to stop, or ends by itself before it has ever answered: then a setting is
 * wrong, and the server has said which.
 */
function supervise(serverArguments: string[]): void {
  const cli = fileURLToPath(new URL('index.ts', import.meta.url));
  let stoppable: ChildProcess | undefined;
  let stopSignal: NodeJS.Signals | undefined;
  let hasAnswered = false;
  const pause = createRestartPause();
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
      } else {
        stoppable = server;
        if (stopSignal) server.kill(stopSignal);
      }
    });
    server.on('exit', (code, signal) => {
      stoppable = undefined;
      if (stopSignal || code === 0 || (code !== null && !hasAnswered)) process.exit(code ?? 1);
      const wait = pause.next(answeredAt);
      const end = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      console.error(`The server ${end}. It starts again in ${wait / 1000} s.`);
      waiting = setTimeout(start, wait);
    });
  };

  const stop = (signal: NodeJS.Signals): void => {
    stopSignal = signal;
    stoppable?.kill(signal);
    if (!waiting) return;
    // The server that died has left its PostgreSQL behind. One more stops it in order.
    clearTimeout(waiting);
    start();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // The server replaces its processes (docs/operations.md).
  process.on('SIGUSR2', () => stoppable?.kill('SIGUSR2'));
  start();
}

if (import.meta.main) supervise(process.argv.slice(2));
