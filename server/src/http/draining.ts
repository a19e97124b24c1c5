import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How the clients of a process move to another one. */
export interface Drain {
  /**
   * - `stop`: the server ends. `/health/ready` answers 503, and new connections are accepted until the end, because a load
   *   balancer needs time to choose another server.
   * - `retire`: this process ends, and others of the same server continue. They get all new connections at once.
   */
  reason: 'stop' | 'retire';
  /** For how long at most, in milliseconds. */
  drainMs: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the whole server is about to end. */
    isStopping(): boolean;
    /**
     * Lets clients move to another process: each response from now on closes its connection. Returns when no connection is open,
     * at the latest after `drainMs`. A connection that stays idle is closed only then, because its client may be sending a request.
     */
    drain(how: Drain): Promise<void>;
  }
}

const CHECK_EVERY_MS = 50;

/** Adds {@link FastifyInstance.drain} to an application. */
export function prepareDraining(app: FastifyInstance): void {
  let draining: Drain['reason'] | undefined;
  app.decorate('isStopping', () => draining === 'stop');
  app.decorate('drain', async ({ reason, drainMs }: Drain) => {
    draining = reason;
    // The close of an HTTP server would also close its idle connections.
    if (reason === 'retire') TcpServer.prototype.close.call(app.server);
    const end = performance.now() + drainMs;
    while (performance.now() < end) {
      if (reason === 'retire' && (await countConnections(app)) === 0) return;
      await sleep(Math.min(CHECK_EVERY_MS, Math.max(0, end - performance.now())));
    }
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
}

function countConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
