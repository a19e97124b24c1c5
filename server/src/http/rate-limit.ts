import type { FastifyReply } from 'fastify';
import { Problem } from '../shared/problem.ts';
import type { KeyCaller } from './request-context.ts';

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
  throw new Problem('rate_limited', {
    detail: `This key may send ${limit} request${limit === 1 ? '' : 's'} ${window === 'hour' ? 'an hour' : 'a minute'}.`,
    headers: { 'retry-after': String(resetSeconds) },
  });
}

/** Whether requests with this security requirement are counted: they are where a key is taken. */
export function countsRequests(security: readonly Record<string, unknown>[] = []): boolean {
  return security.some((schemes) => 'gameKey' in schemes || 'apiKey' in schemes);
}

/** The headers as the OpenAPI document describes them, once for all operations. */
export const rateLimitHeaders = {
  'RateLimit-Limit': {
    description: 'How many requests the key may send in the window that is nearest to being used up.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer' },
  },
  'RateLimit-Reset': {
    description: 'In how many seconds the window ends.',
    schema: { type: 'integer' },
  },
  'Retry-After': {
    description: 'After how many seconds to try again.',
    schema: { type: 'integer' },
  },
} as const;

interface Operation {
  security?: Record<string, unknown>[];
  responses: Record<string, { headers?: object }>;
}

/** Adds the headers to the operations that count requests: to their successes and to their 429. */
export function describeRateLimits<Document extends { paths?: object }>(document: Document): Document {
  const header = (name: keyof typeof rateLimitHeaders) => ({ $ref: `#/components/headers/${name}` });
  const counted = {
    'RateLimit-Limit': header('RateLimit-Limit'),
    'RateLimit-Remaining': header('RateLimit-Remaining'),
    'RateLimit-Reset': header('RateLimit-Reset'),
  };
  const refused = { ...counted, 'Retry-After': header('Retry-After') };
  const paths = Object.values(document.paths ?? {}) as Record<string, Operation>[];
  const operations = paths.flatMap((path) => Object.values(path));
  for (const { responses } of operations.filter(({ security }) => countsRequests(security))) {
    for (const [status, response] of Object.entries(responses)) {
      if (status === '429') response.headers = refused;
      else if (status.startsWith('2')) response.headers = { ...response.headers, ...counted };
    }
  }
  return document;
}
