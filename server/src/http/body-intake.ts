import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../security/attempt-budget.ts';
import { ProblemError } from '../core/problem.ts';
import { openBodyBudget, type BodyBudget, type BodySender, type HeldBody } from './body-budget.ts';
import { clientAddress } from './client-address.ts';

/** How fast a body must arrive. */
export interface IntakePace {
  /** It may take so long whatever its size. */
  graceMs: number;
  bytesPerSecond: number;
  /** A large body must arrive faster: an announced one at least at this part of its size in a second. */
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
 * Bounds what bodies cost before anything is known of them: each is counted against one budget of the process as it arrives, an
 * announced one that finds no room is refused before it is read, and one that arrives too slowly is cut. Needs
 * {@link FastifyRequest.bodyBytes}.
 */
export function guardIntake(
  app: FastifyInstance,
  { budget = openBodyBudget(), pace = PACE }: { budget?: BodyBudget; pace?: IntakePace } = {},
): void {
  const arriving = new Set<ArrivingBody>();

  // After the credential: a request with a wrong one is not counted.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, raw, method } = request;
    const isChunked = headers['transfer-encoding'] !== undefined;
    const announced = Number(headers['content-length'] ?? 0);
    const isRead = method !== 'GET' && method !== 'HEAD' && (isChunked || announced > 0);
    // The client may have left while its credential was checked. Then nothing would tell us to release.
    if (!isRead || reply.raw.destroyed) return done(null, payload);

    // A form may be longer. What is beyond the limit is not kept.
    const limit = request.routeOptions.bodyLimit;
    const held = budget.hold(senderOf(request));
    if (!held.fits(Math.min(announced, limit)) || !held.resize(Math.min(raw.readableLength, limit)))
      return done(busy());

    const body = { request, size: announced, since: performance.now() };
    if (!raw.complete) {
      arriving.add(body);
      countArrival(request, held, limit);
    }
    reply.raw.once('close', () => {
      held.release();
      arriving.delete(body);
    });
    done(null, payload);
  });

  const sweep = setInterval(() => cutSlowBodies(arriving, pace), pace.checkEveryMs).unref();
  app.addHook('onClose', () => clearInterval(sweep));
}

/** A tenant, whoever uses its keys; without a key a network. */
function senderOf(request: FastifyRequest): BodySender {
  const { keyCaller, playerCaller, accountCaller, walletCaller } = request;
  return {
    name: keyCaller?.tenantId ?? networkOf(clientAddress(request)),
    isAnonymous: !(keyCaller ?? playerCaller ?? accountCaller ?? walletCaller),
  };
}

function countArrival({ raw }: FastifyRequest, held: HeldBody, limit: number): void {
  const { push } = raw;
  raw.push = function (chunk: Buffer | null, ...rest) {
    if (chunk && !held.resize(Math.min(held.bytes + chunk.length, limit))) abort(raw, busy());
    return push.call(this, chunk, ...rest);
  };
}

function cutSlowBodies(arriving: Set<ArrivingBody>, { graceMs, bytesPerSecond, partPerSecond }: IntakePace) {
  for (const body of arriving) {
    const { raw, bodyBytes } = body.request;
    const pace = Math.max(bytesPerSecond, body.size * partPerSecond);
    if (raw.complete || raw.destroyed) arriving.delete(body);
    // Nobody reads it yet, for its sender's role is being looked up, say: the sender cannot go on.
    else if (raw.readableFlowing === null) body.since = performance.now();
    else if (bodyBytes < (pace * (performance.now() - body.since - graceMs)) / 1000) {
      arriving.delete(body);
      abort(
        raw,
        new ProblemError('request_timeout', {
          detail: `The body arrived too slowly. Send at least ${Math.ceil(pace)} bytes a second.`,
          headers: { connection: 'close' },
        }),
      );
    }
  }
}

/** Ends the reading of a body: whoever reads it answers the request with the problem. */
function abort(raw: FastifyRequest['raw'], problem: ProblemError): void {
  if (raw.listenerCount('error') > 0) raw.emit('error', problem);
  else raw.destroy();
}

function busy(): ProblemError {
  return new ProblemError('busy', {
    detail: 'Too many request bodies are in progress. Wait as Retry-After says, then send the request again.',
    headers: { 'retry-after': '2' },
  });
}
