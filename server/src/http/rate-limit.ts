import type { FastifyReply } from 'fastify';
import { ProblemError } from '../core/problem.ts';
import type { KeyCaller } from '../core/callers.ts';

/** Counts the requests of keys: implemented by a feature, opened in services.ts. */
export interface RateLimiter {
  /** Counts a request, or refuses it. At once, or where processes count together, after asking. Never fails. */
  count(key: KeyCaller): RateLimitVerdict | Promise<RateLimitVerdict>;
}

/** Whether a request is let in, and how its key stands in the window that is nearest to being used up. */
export interface RateLimitVerdict {
  admitted: boolean;
  window: 'minute' | 'hour';
  limit: number;
  remaining: number;
  /** Until the window ends, rounded up: at least 1. */
  resetSeconds: number;
}

/** Tells the caller how the key stands, whatever becomes of the request. Throws rate_limited where it is not let in. */
export function applyVerdict(
  reply: FastifyReply,
  { admitted, window, limit, remaining, resetSeconds }: RateLimitVerdict,
): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (admitted) return;
  throw new ProblemError('rate_limited', {
    detail: `This key may send ${limit} request${limit === 1 ? '' : 's'} ${window === 'hour' ? 'an hour' : 'a minute'}. Retry after ${resetSeconds} s.`,
    headers: { 'retry-after': String(resetSeconds) },
  });
}

/** Whether requests with this security requirement are counted: they are where a key is taken. */
export function countsRequests(security: readonly Record<string, unknown>[] = []): boolean {
  return security.some((schemes) => 'gameKey' in schemes || 'apiKey' in schemes);
}
