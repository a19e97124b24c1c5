import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf, siteOf } from '../../core/network.ts';
import { ProblemError } from '../../core/problem.ts';
import type { KeyCaller } from '../../core/callers.ts';
import { clientAddress } from '../client-address.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For how many requests a request without a key counts. Default: 1. With 0 it is not counted. */
    cost?: number;
  }
}

/** The sender of a request without a key: an account or a player by its token, or the network of its address, or that network's site. */
export interface KeylessCaller {
  kind: 'account' | 'player' | 'network' | 'site';
  id: string;
}

/** Counts requests. A feature implements it. */
export interface RateLimiter {
  /** Counts or rejects a request on a key. Asynchronous if several processes share the count. Never throws. */
  count(key: KeyCaller): RateLimitVerdict | Promise<RateLimitVerdict>;
  /** Counts or rejects a request without a key. */
  countKeyless(caller: KeylessCaller, cost: number): Promise<RateLimitVerdict>;
}

/** Whether a request is admitted, and the state of the window with the fewest requests left. */
export interface RateLimitVerdict {
  admitted: boolean;
  window: 'minute' | 'hour' | '10 seconds';
  limit: number;
  remaining: number;
  /** Seconds until the window ends, rounded up. At least 1. */
  resetSeconds: number;
}

/**
 * Sets the RateLimit headers on every response. Throws rate_limited if the request is not admitted. `whose` begins the
 * sentence of the error.
 */
export function applyRateLimit(
  reply: FastifyReply,
  whose: string,
  { admitted, window, limit, remaining, resetSeconds }: RateLimitVerdict,
  cost = 1,
): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (admitted) return;
  const counted = cost > 1 ? ` This request counts as ${cost}.` : '';
  throw new ProblemError('rate_limited', {
    detail: `${whose} may send ${limit} request${limit === 1 ? '' : 's'} per ${window}.${counted} Retry after ${resetSeconds} s.`,
    retryAfter: resetSeconds,
  });
}

/** Counts a request without a key of an account or a player. Throws rate_limited. */
export async function limitKeyless(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimits: RateLimiter,
  caller: KeylessCaller,
): Promise<void> {
  const { cost = 1 } = request.routeOptions.config;
  if (cost > 0)
    applyRateLimit(reply, `This ${caller.kind}`, await rateLimits.countKeyless(caller, cost), cost);
}

/**
 * Counts a request without a key of a network, and then of its site. So what the network refuses does not count for the site. Throws
 * rate_limited.
 */
export async function limitNetwork(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimits: RateLimiter,
): Promise<void> {
  const address = clientAddress(request);
  const [network, site] = [networkOf(address), siteOf(address)];
  await limitKeyless(request, reply, rateLimits, { kind: 'network', id: network });
  const { cost = 1 } = request.routeOptions.config;
  if (site === network || cost === 0) return;
  const verdict = await rateLimits.countKeyless({ kind: 'site', id: site }, cost);
  // Otherwise the headers describe the network.
  if (!verdict.admitted) applyRateLimit(reply, 'The /48 of this network', verdict, cost);
}
