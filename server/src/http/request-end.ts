import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How a request ended. */
export interface RequestEnd {
  /** The status of the response, or {@link INCOMPLETE}. */
  status: number;
  /** Milliseconds from the arrival of the request. */
  ms: number;
}

type EndListener = (request: FastifyRequest, reply: FastifyReply, end: RequestEnd) => void;

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds a function that runs at the end of each request. */
    onRequestEnd(listener: EndListener): void;
  }
}

/**
 * Stands for the status of a response that was not sent to its end: its client has disconnected, or its data could not be read. nginx logs
 * the same number.
 */
export const INCOMPLETE = 499;

/**
 * Adds `onRequestEnd`. Fastify's hook onResponse does not run if the client disconnects, so the slowest requests of a busy server would be
 * missing from logs, metrics and traces. Must be called before other hooks are added, because they may refuse a request.
 */
export function observeRequestEnds(app: FastifyInstance): void {
  const listeners: EndListener[] = [];
  app.decorate('onRequestEnd', (listener: EndListener) => void listeners.push(listener));
  app.addHook('onRequest', (request, reply, done) => {
    const since = performance.now();
    onceClosed(reply, () => {
      const end = { status: statusOf(request, reply), ms: performance.now() - since };
      for (const listener of listeners) listener(request, reply, end);
    });
    done();
  });
}

/** A stream that stays open is never sent to its end. */
function statusOf({ routeOptions }: FastifyRequest, { raw, statusCode }: FastifyReply): number {
  return raw.writableFinished || routeOptions.config.staysOpen ? statusCode : INCOMPLETE;
}

/** Runs `work` when the response is sent or its client has disconnected. If that was before, it runs now. */
export function onceClosed(reply: FastifyReply, work: () => void): void {
  if (reply.raw.destroyed) work();
  else reply.raw.once('close', work);
}
