import type { FastifyInstance } from 'fastify';

/** A client that takes nothing of its answer for so long is cut off. */
const READ_WITHIN_MS = 30_000;

/**
 * Cuts off clients that do not read their answers: the connection is closed, which destroys the stream behind the answer and
 * gives back what it holds. An answer that is quiet because there is nothing to send yet stays.
 */
export function cutStalledReaders(app: FastifyInstance, readWithinMs = READ_WITHIN_MS): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Node calls this when the socket was idle for so long: nothing was written, and nothing of what waits left it.
    reply.raw.setTimeout(readWithinMs, (socket?: { writableLength: number; destroy(): void }) => {
      if (socket && socket.writableLength > 0) socket.destroy();
    });
    done(null, payload);
  });
}
