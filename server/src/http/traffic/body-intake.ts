import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../../core/problem.ts';
import type { BodyBudget, BodySender, HeldBody } from './body-budget.ts';
import { clientSite } from '../client-address.ts';
import { announcedBody } from './body-size.ts';

/** The minimum speed at which a body must arrive. */
export interface IntakePace {
  /** The speed is not checked during this time. */
  graceMs: number;
  bytesPerSecond: number;
  /** A body with a Content-Length must also arrive at this fraction of its size per second. */
  partPerSecond: number;
  checkEveryMs: number;
}

const PACE: IntakePace = { graceMs: 10_000, bytesPerSecond: 4096, partPerSecond: 0.01, checkEveryMs: 1000 };

interface ArrivingBody {
  request: FastifyRequest;
  size: number;
  since: number;
}

/**
 * Limits the memory of bodies. Arriving bytes count against one budget of the process. A body that does not fit is
 * rejected before it is read. A body that arrives too slowly is cut off. Needs {@link FastifyRequest.bodyBytes}.
 */
export function limitBodyIntake(
  app: FastifyInstance,
  { budget, pace = PACE }: { budget: BodyBudget; pace?: IntakePace },
): void {
  const arriving = new Set<ArrivingBody>();
  /** The bodies of requests without a response. */
  const unanswered = new WeakMap<FastifyRequest, HeldBody>();

  // Runs after authentication, so a request with an invalid credential is not counted.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw, method } = request;
    const { isExpected, announced } = announcedBody(request);
    const isRead = method !== 'GET' && method !== 'HEAD' && isExpected;
    // If the client disconnected during authentication, no `close` event follows to release the reservation.
    if (!isRead || reply.raw.destroyed) return done(null, payload);

    // A form may be larger, but bytes beyond the limit are not kept in memory.
    const limit = request.routeOptions.bodyLimit;
    const held = budget.hold(senderOf(request));
    if (!held.fits(Math.min(announced, limit)) || !held.resize(Math.min(raw.readableLength, limit)))
      return done(busy());

    unanswered.set(request, held);
    const body = { request, size: announced, since: performance.now() };
    let stopCounting = () => {};
    if (!raw.complete) {
      arriving.add(body);
      stopCounting = countArrival(request, held, limit);
    }
    reply.raw.once('close', () => {
      stopCounting();
      arriving.delete(body);
      // After a disconnect, the handler of a whole body continues. It keeps the body in memory until it answers.
      if (!raw.readableEnded || !unanswered.has(request)) held.release();
    });
    done(null, payload);
  });

  // Runs when the handler answers, also after a disconnect.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) unanswered.get(request)?.release();
    unanswered.delete(request);
    done(null, payload);
  });

  const sweep = setInterval(() => cutSlowBodies(arriving, pace), pace.checkEveryMs).unref();
  app.addHook('onClose', () => clearInterval(sweep));
}

/** The tenant of the key, or the network if the request has no key. Eight networks of an IPv6 site could fill the anonymous share. */
function senderOf(request: FastifyRequest): BodySender {
  const { keyCaller, playerCaller, accountCaller, walletCaller } = request;
  const network = clientSite(request);
  return {
    caller: keyCaller?.tenantId ?? network,
    network,
    isAnonymous: !(keyCaller ?? playerCaller ?? accountCaller ?? walletCaller),
  };
}

/** Reserves memory for each part of a body, until there is no room or the returned function is called. The rest is discarded. */
function countArrival({ raw }: FastifyRequest, held: HeldBody, limit: number): () => void {
  const { push } = raw;
  const stop = () => void (raw.push = push);
  raw.push = function (chunk: Buffer | null, ...rest) {
    if (chunk && !held.resize(Math.min(held.bytes + chunk.length, limit))) {
      stop();
      abort(raw, busy());
    }
    return push.call(this, chunk, ...rest);
  };
  return stop;
}

function cutSlowBodies(arriving: Set<ArrivingBody>, { graceMs, bytesPerSecond, partPerSecond }: IntakePace) {
  for (const body of arriving) {
    const { raw, bodyBytes } = body.request;
    const pace = Math.max(bytesPerSecond, body.size * partPerSecond);
    if (raw.complete || raw.destroyed) arriving.delete(body);
    // The server does not read the body yet, for example during authorization. The client cannot send more.
    else if (raw.readableFlowing === null) body.since = performance.now();
    else if (bodyBytes < (pace * (performance.now() - body.since - graceMs)) / 1000) {
      arriving.delete(body);
      abort(
        raw,
        new ProblemError('request_timeout', {
          detail: `The body arrived too slowly. Send at least ${Math.ceil(pace)} bytes per second.`,
          headers: { connection: 'close' },
        }),
      );
    }
  }
}

/** Stops reading a body. The reader of the body sends the problem as the response. */
function abort(raw: FastifyRequest['raw'], problem: ProblemError): void {
  if (raw.listenerCount('error') > 0) raw.emit('error', problem);
  else raw.destroy();
}

function busy(): ProblemError {
  return new ProblemError('busy', {
    detail: 'Too many request bodies are in progress. Retry after the number of seconds in Retry-After.',
    retryAfter: 2,
  });
}
