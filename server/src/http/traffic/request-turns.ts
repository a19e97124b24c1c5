import type { FastifyInstance } from 'fastify';
import { createOwnerQueue } from '../../core/concurrency/owner-queue.ts';
import { clientSite } from '../client-address.ts';

/** These requests take 5 to 13 ms until they first wait for something. */
const BEGUN_AT_ONCE = 32;

/**
 * Begins at most {@link BEGUN_AT_ONCE} requests at once. The others wait for the next turns of the event loop, in which networks take
 * turns. Node reads up to 1,024 connections in one turn, and a request takes 0.15 to 0.4 ms. So 1,000 connections blocked the event loop
 * for 150 to 420 ms, even with unknown paths and without bodies. Must be called before hooks that take long are added.
 */
export function spreadRequests(app: FastifyInstance): void {
  /** The waiting requests. Their owners are networks. */
  const waiting = createOwnerQueue<() => void>();
  let begun = 0;

  const beginWaiting = (): void => {
    begun = 0;
    while (begun < BEGUN_AT_ONCE && !waiting.isEmpty()) {
      begun++;
      waiting.next()();
    }
    if (begun > 0) setImmediate(beginWaiting);
  };

  app.addHook('onRequest', (request, _reply, done) => {
    if (begun === 0) setImmediate(beginWaiting);
    if (begun < BEGUN_AT_ONCE && waiting.isEmpty()) {
      begun++;
      return done();
    }
    waiting.add(clientSite(request), done);
  });
}
