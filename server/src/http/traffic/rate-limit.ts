import type { FastifyReply } from 'fastify';
import { ProblemError } from '../../core/problem.ts';
import type { KeyCaller } from '../../core/callers.ts';

/** Counts the requests of keys. A feature implements it. */
export interface RateLimiter {
  /** Counts or rejects a request. Asynchronous if several processes share the count. Never throws. */
  count(key: KeyCaller): RateLimitVerdict | Promise<RateLimitVerdict>;
}

/** Whether a request is admitted, and the state of the window with the fewest requests left. */
export interface RateLimitVerdict {
  admitted: boolean;
  window: 'minute' | 'hour';
  limit: number;
  remaining: number;
  /** Seconds until the window ends, rounded up. At least 1. */
  resetSeconds: number;
}

/** Sets the RateLimit headers on every response. Throws rate_limited if the request is not admitted. */
export function applyRateLimit(
  reply: FastifyReply,
  { admitted, window, limit, remaining, resetSeconds }: RateLimitVerdict,
): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (admitted) return;
  throw new ProblemError('rate_limited', {
    detail: `This key may send ${limit} request${limit === 1 ? '' : 's'} per ${window}. Retry after ${resetSeconds} s.`,
    headers: { 'retry-after': String(resetSeconds) },
  });
}

/** Whether requests with this security requirement are rate-limited: if they can carry a key. */
export function isRateLimited(security: readonly Record<string, unknown>[] = []): boolean {
  return security.some((schemes) => 'gameKey' in schemes || 'apiKey' in schemes);
}
