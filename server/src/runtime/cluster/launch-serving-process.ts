import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Drain } from '../../http/draining.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { openChannel, type Channel, type RequestHandlers } from '../../processes/channel.ts';
import type { ProcessSlots } from '../../processes/concurrency-slots.ts';
import { killIfSilent } from '../../processes/heartbeat.ts';
import type { ApiServerOptions } from '../api-server.ts';
import type { Failure, Ready } from './serving-process.ts';

const SERVING_PROCESS = fileURLToPath(new URL('serving-process.ts', import.meta.url));

/** Running requests have 10 seconds. A process that takes longer to stop is killed. */
const STOP_WITHIN_MS = 15_000;

/** A process that answers requests, or starts to. */
export interface ServingProcess {
  channel: Channel;
  /** Rejects if the process ends before it answers. */
  ready: Promise<Ready>;
  /** Resolves with the reason of its end. */
  ended: Promise<string>;
  /** Ends it in order, or kills it if that takes too long. */
  stop(how: Drain): Promise<void>;
}

/**
 * Starts a serving process. It takes its slots from `slots`, and the primary process answers its other requests with `handlers`. If it
 * no longer responds, `onSilent` is called, and it is killed.
 */
export function launchServingProcess(
  options: ApiServerOptions,
  slots: ProcessSlots,
  handlers: RequestHandlers,
  onSilent: () => void,
): ServingProcess {
  const child = forkServing();
  const ready = Promise.withResolvers<Ready>();
  let hasStarted = false;
  const channel = openChannel(child, {
    start() {
      hasStarted = true;
      return options;
    },
    ready(answer: Ready) {
      killIfSilent(child.process, onSilent);
      ready.resolve(answer);
    },
    failed: ({ message, isExpected }: Failure) =>
      ready.reject(isExpected ? new OperatorError(message) : new Error(message)),
    'acquire-slots': slots.acquire,
    'release-slots': slots.release,
    ...handlers,
  });
  const ended = endOf(child).then((reason) => {
    channel.close();
    slots.releaseAll();
    ready.reject(new OperatorError(`A serving process ${reason} before it answered.`));
    return reason;
  });
  // Nobody waits for a process that is stopped during its start.
  ready.promise.catch(() => {});
  return {
    channel,
    ready: ready.promise,
    ended,
    async stop(how) {
      if (hasStarted) channel.request('stop', how).catch(() => {});
      else child.process.kill('SIGKILL');
      const kill = setTimeout(() => child.process.kill('SIGKILL'), how.drainMs + STOP_WITHIN_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

/**
 * Starts a process. node:cluster hands it one connection at a time, and waits until the process confirms it. It waits for good if the
 * process dies before, or has no file descriptor left for the connection. Then the client would wait too, and the process would never
 * get another connection. So the connection is closed here.
 */
function forkServing(): Worker {
  cluster.setupPrimary({ exec: SERVING_PROCESS, args: [] });
  const child = cluster.fork();
  let last: { connection: { close(): void }; seq: number } | undefined;
  const channel = child.process as unknown as { send?(...sent: unknown[]): boolean };
  const send = channel.send?.bind(child.process);
  // Without file descriptors the system has created neither the process nor its channel.
  if (send)
    channel.send = (...sent) => {
      const [{ act, seq }, connection] = sent as [{ act?: string; seq: number }, { close(): void }];
      if (act === 'newconn') last = { connection, seq };
      return send(...sent);
    };
  child.process.on('internalMessage', ({ cmd }: { cmd?: string }) => {
    // The connection did not arrive. This is what the process sends when one has arrived. node:cluster then closes its copy.
    if (cmd === 'NODE_HANDLE_NACK' && last)
      child.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: last.seq, accepted: true });
  });
  // Closing a connection again has no effect.
  child.once('exit', () => last?.connection.close());
  return child;
}

/** Waits for the end of a process, and returns how it ended. */
function endOf(child: Worker): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code: number, signal: string | null) =>
      resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
    child.on('error', (error: Error) => {
      // If the system creates no process, `exit` does not follow. Without memory, or while an update replaces the file of Node.
      if (child.process.pid === undefined) resolve(`was not created (${error.message})`);
    });
  });
}
