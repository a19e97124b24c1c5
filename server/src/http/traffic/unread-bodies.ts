import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BATCH_BODY_LIMIT } from '../bodies/body-limits.ts';
import { announcedBody } from './body-size.ts';

/** The largest body that is accepted, and as much as a proxy may round up its own limit. */
export const DISCARDED_BYTES = BATCH_BODY_LIMIT + 1024 * 1024;

/** A proxy sends the rest within milliseconds. */
export const DISCARD_WITHIN_MS = 30_000;

/**
 * If a body is refused before its end, its rest is read and discarded. If the connection closed instead, a proxy that is still
 * sending would see a broken connection and not the response, and nginx would count a failure of this server.
 */
export function discardUnreadBodies(
  app: FastifyInstance,
  { mostBytes = DISCARDED_BYTES, withinMs = DISCARD_WITHIN_MS } = {},
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { isExpected, announced } = announcedBody(request);
    if (reply.statusCode >= 400 && !request.raw.complete && isExpected) {
      if (announced > mostBytes || reply.statusCode === 408) reply.header('connection', 'close');
      else discardRest(request, reply, mostBytes, withinMs);
    }
    done(null, payload);
  });
}

function discardRest(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  mostBytes: number,
  withinMs: number,
): void {
  const { socket } = raw;
  // Set by Fastify for every refused body, and by a server that stops.
  reply.removeHeader('connection');
  const clientCloses = !reply.raw.shouldKeepAlive;
  reply.raw.shouldKeepAlive = true;

  let left = mostBytes;
  const limit = setTimeout(() => socket.destroy(), withinMs).unref();
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  void Promise.allSettled([finished(raw), finished(reply.raw)]).then(() => {
    clearTimeout(limit);
    if (clientCloses) socket.end();
  });
}
