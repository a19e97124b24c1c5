import type { FastifyInstance } from 'fastify';
import type { KeyCaller } from '../core/callers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** How many bytes of the body have come in: as they were sent, without the frames of a chunked one. */
    bodyBytes: number;
  }
}

/**
 * Counts the bytes of every body as they come in, whoever reads them and whether or not they are wanted, and tells those of the
 * requests on a key once they are over. Counted where Node adds them to the stream: to read along would take them from
 * the one who parses them, and a stream in between costs more than counting.
 */
export function countBodies(app: FastifyInstance, tell: (key: KeyCaller, bytes: number) => void): void {
  app.decorateRequest('bodyBytes', 0);
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      const { push } = raw;
      // What came in one packet with the headers may be there already.
      request.bodyBytes = raw.readableLength;
      raw.push = function (chunk: Buffer | null, ...rest) {
        if (chunk) request.bodyBytes += chunk.length;
        return push.call(this, chunk, ...rest);
      };
      // Also where the client leaves before it is answered, of which onResponse is not told.
      reply.raw.once('close', () => {
        if (request.keyCaller && request.bodyBytes > 0) tell(request.keyCaller, request.bodyBytes);
      });
    }
    done();
  });
}
