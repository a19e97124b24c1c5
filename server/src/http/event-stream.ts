import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer takes as long as its reader stays: that is not slow. */
    staysOpen?: boolean;
  }
}

/** One server-sent event. */
export interface ServerSentEvent {
  id?: string;
  event: string;
  data: unknown;
}

/** Keeps a quiet stream alive: proxies often close a connection on which nothing came for half a minute or more. */
const HEARTBEAT_MS = 20_000;

/** A client that takes nothing of what waits for it for so long is dropped. It resumes where it was. */
const READ_WITHIN_MS = 30_000;

/** How long a client is asked to wait before it comes back. */
const RETRY_MS = 2_000;

/** The answer of a route that sends events for as long as there are some, as the OpenAPI document shows it. */
export const eventStream = (description: string) => ({
  description,
  content: { 'text/event-stream': { schema: { type: 'string' } } },
});

/**
 * Answers with events as they come (text/event-stream), until there are no more or the client has gone; then `close` is called.
 * No more of them wait in memory than one, and what the sockets hold.
 */
export function sendEvents(
  reply: FastifyReply,
  { events, close }: { events: AsyncIterable<ServerSentEvent>; close: () => void },
  { heartbeatMs = HEARTBEAT_MS, readWithinMs = READ_WITHIN_MS } = {},
): FastifyReply {
  const out = new PassThrough();
  out.write(`retry: ${RETRY_MS}\n\n`);
  const heartbeat = setInterval(() => {
    if (!out.writableNeedDrain) out.write(': still here\n\n');
  }, heartbeatMs).unref();
  out.once('close', () => {
    clearInterval(heartbeat);
    close();
  });
  void pump(events, out, readWithinMs);
  return (
    reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      // For nginx, which else collects answers before it passes them on.
      .header('x-accel-buffering', 'no')
      // So that nothing is left open when the stream ends, with the server or before it.
      .header('connection', 'close')
      .send(out)
  );
}

async function pump(
  events: AsyncIterable<ServerSentEvent>,
  out: PassThrough,
  readWithinMs: number,
): Promise<void> {
  try {
    for await (const event of events) {
      if (!out.write(render(event))) await once(out, 'drain', { signal: AbortSignal.timeout(readWithinMs) });
    }
    out.end();
  } catch {
    // It was closed by the client, is not read, or there is an end to the events that nobody can be told of.
    out.destroy();
  }
}

function render({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
