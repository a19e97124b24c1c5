import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response lasts until the client disconnects, so a long duration is not logged as slow. */
    staysOpen?: boolean;
  }
}

/** One server-sent event. */
export interface ServerSentEvent {
  id?: string;
  event: string;
  data: unknown;
}

/** Proxies often close a connection that is idle for 30 seconds or more. */
const HEARTBEAT_MS = 20_000;

/** A client that reads nothing for this time is disconnected. It can resume with `Last-Event-ID`. */
const READ_WITHIN_MS = 30_000;

/** How long a client waits before it reconnects. */
const RETRY_MS = 2_000;

/** The OpenAPI response of a route that sends server-sent events. */
export const eventStream = (description: string) => ({
  description,
  content: { 'text/event-stream': { schema: { type: 'string' } } },
});

/**
 * Sends events as server-sent events until they end or the client disconnects, then calls `close`. At most one event
 * waits in memory, plus the socket buffers.
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
  void writeEvents(events, out, readWithinMs);
  return (
    reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      // nginx buffers responses without this header.
      .header('x-accel-buffering', 'no')
      // The connection closes when the stream ends or the server stops.
      .header('connection', 'close')
      .send(out)
  );
}

async function writeEvents(
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
    // The client disconnected or stalled, or the source failed. The response has begun, so no error can be sent.
    out.destroy();
  }
}

function render({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
