import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KeyCaller } from '../../core/callers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The number of received body bytes, without the framing of chunked transfer. */
    bodyBytes: number;
  }
}

/** What the headers say about the body of a request. The size of a chunked body is not announced. */
export function announcedBody({ headers }: FastifyRequest): { isExpected: boolean; announced: number } {
  const announced = Number(headers['content-length'] ?? 0);
  return { isExpected: announced > 0 || headers['transfer-encoding'] !== undefined, announced };
}

/**
 * Counts the bytes of every body while they arrive. When a request on a key ends, calls `onBody` with the sum.
 * It counts in `push`, where Node adds a chunk to the stream. To read the stream here would take the data from the
 * parser, and a Transform in between costs more than the count.
 */
export function countBodyBytes(app: FastifyInstance, onBody: (key: KeyCaller, bytes: number) => void): void {
  app.decorateRequest('bodyBytes', 0);
  app.addHook('onRequest', (request, _reply, done) => {
    if (announcedBody(request).isExpected) {
      const { raw } = request;
      const { push } = raw;
      // Bytes in the same packet as the headers may be in the buffer already.
      request.bodyBytes = raw.readableLength;
      raw.push = function (chunk: Buffer | null, ...rest) {
        if (chunk) request.bodyBytes += chunk.length;
        return push.call(this, chunk, ...rest);
      };
    }
    done();
  });
  app.onRequestEnd(({ keyCaller, bodyBytes }) => {
    if (keyCaller && bodyBytes > 0) onBody(keyCaller, bodyBytes);
  });
}
