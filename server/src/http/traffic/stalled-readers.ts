import type { FastifyInstance } from 'fastify';

/** A client that reads nothing for this time is disconnected. */
const READ_WITHIN_MS = 30_000;

/**
 * Closes the connection of a client that does not read its response. This destroys the payload stream and releases its
 * resources. A connection with nothing to send stays open.
 */
export function cutStalledReaders(app: FastifyInstance, readWithinMs = READ_WITHIN_MS): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Node calls this when the socket is idle: nothing was written, and no buffered data was sent.
    reply.raw.setTimeout(readWithinMs, (socket?: { writableLength: number; destroy(): void }) => {
      if (socket && socket.writableLength > 0) socket.destroy();
    });
    done(null, payload);
  });
}
