import type { HttpOptions } from './http.ts';
import type { RetryLimits, RetryOptions } from './retries.ts';

/**
 * The server repeats the answer of a refresh for 60 seconds: enough for four attempts of 15 seconds. A later one would be a second use of
 * the refresh token, which ends the session.
 */
const LONGEST_MS = 15_000;
const ATTEMPTS = 4;
const BACK_OFF = { firstMs: 500, longestMs: 3_000 };
/** A server that restarts asks for 5 seconds. */
const LONGEST_RETRY_AFTER_MS = 10_000;
/** Slow answers and long pauses together would take more than 60 seconds. */
export const LAST_ATTEMPT_MS = 50_000;

export const refreshHttp = (http: HttpOptions): HttpOptions => ({
  ...http,
  timeoutMs: Math.min(http.timeoutMs ?? LONGEST_MS, LONGEST_MS),
});

export const refreshRetries = ({ attempts = ATTEMPTS }: RetryOptions = {}): RetryLimits => ({
  attempts: Math.min(attempts, ATTEMPTS),
  backOff: BACK_OFF,
  longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
  lastAttemptMs: LAST_ATTEMPT_MS,
});
