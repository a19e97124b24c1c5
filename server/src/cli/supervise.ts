import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SERVER_NODE_OPTIONS } from '../../node-options.ts';

/** What a server process tells its supervisor: signals stop it in order from now on; it answers requests. */
export type ServerMessage = 'stoppable' | 'ready';

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** A server that has answered for so long had a good start: the next restart waits only the first time again. */
const STABLE_MS = 60_000;

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
  let wait = FIRST_WAIT_MS;
  let waiting: NodeJS.Timeout | undefined;

  const start = (): void => {
    waiting = undefined;
    // With a channel: if this process is killed, the server sees it close, and stops.
    const server = spawn(process.execPath, [...SERVER_NODE_OPTIONS, cli, 'serve', ...serverArguments], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    let answeredAt = Infinity;
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
      if (performance.now() - answeredAt > STABLE_MS) wait = FIRST_WAIT_MS;
      const end = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      console.error(`The server ${end}. It starts again in ${wait / 1000} s.`);
      waiting = setTimeout(start, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
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
  start();
}

if (import.meta.main) supervise(process.argv.slice(2));
