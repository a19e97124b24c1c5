import type { FastifyReply } from 'fastify';
import { onceClosed } from './request-end.ts';

/** A signal that is aborted when the client disconnects before it has the response, even if that was before the call. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onceClosed(reply, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
