import { GuildhallError } from './errors.ts';
import type { Send } from './http.ts';
import { randomId } from './random-id.ts';
import { pauseAfter, wait, type BackOff } from './waiting.ts';

export interface RetryOptions {
  /** How often a request is sent at most, 5 times by default. */
  attempts?: number | undefined;
  /** The first and the longest pause between two attempts, half a second and 30 seconds by default. */
  backOff?: BackOff | undefined;
}

/** The limits of a request that must not be repeated for long. */
export interface RetryLimits extends RetryOptions {
  /** A longer `Retry-After` is not waited for. The default is the longest pause. */
  longestRetryAfterMs?: number;
  /** No attempt begins later than this after the call. */
  lastAttemptMs?: number;
}

/** The name of a request that is sent again: the server carries it out once. A random one is made if it is missing. */
export interface Idempotent {
  idempotencyKey?: string | undefined;
}

export const idempotencyHeader = ({ idempotencyKey = randomId() }: Idempotent = {}) => ({
  'idempotency-key': idempotencyKey,
});

/**
 * Sends a request again after a failure that may pass: no answer, a 5xx, or a 429, after its `Retry-After`. Only for requests
 * that have the same effect when they are carried out twice.
 */
export function withRetries(
  send: Send,
  {
    attempts = 5,
    backOff = { firstMs: 500, longestMs: 30_000 },
    longestRetryAfterMs = backOff.longestMs,
    lastAttemptMs = Infinity,
  }: RetryLimits = {},
): Send {
  return async (method, path, options) => {
    const last = performance.now() + lastAttemptMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, path, options);
      } catch (error) {
        if (!(error instanceof GuildhallError) || !mayPass(error) || attempt >= attempts) throw error;
        if ((error.retryAfter ?? 0) * 1_000 > longestRetryAfterMs) throw error;
        const pause = pauseAfter(error, attempt - 1, backOff);
        if (performance.now() + pause > last) throw error;
        await wait(pause, options?.signal);
      }
    }
  };
}

/** A plan that is used up stays so for days. */
function mayPass({ code, status, isUncertain }: GuildhallError): boolean {
  return isUncertain || (status === 429 && code !== 'quota_exceeded');
}
