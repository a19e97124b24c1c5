import { GuildhallError } from './errors.ts';
import type { Send } from './http.ts';
import { wait } from './waiting.ts';

export interface RetryOptions {
  /** How often a request is sent at most, 5 times by default. */
  attempts?: number;
  /** The first and the longest pause between two attempts, 250 milliseconds and 30 seconds by default. */
  backOff?: { firstMs: number; longestMs: number };
}

/**
 * Sends a request again after a failure that may pass: no answer, a 5xx, or a 429 with its `Retry-After`. Only for requests
 * that have the same effect when they are carried out twice.
 */
export function withRetries(
  send: Send,
  { attempts = 5, backOff: { firstMs, longestMs } = { firstMs: 250, longestMs: 30_000 } }: RetryOptions = {},
): Send {
  return async (method, path, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, path, options);
      } catch (error) {
        if (!(error instanceof GuildhallError) || !mayPass(error) || attempt >= attempts) throw error;
        const backedOff = Math.min(longestMs, firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
        const asked = (error.retryAfter ?? 0) * 1_000;
        if (asked > longestMs) throw error;
        await wait(Math.max(asked, backedOff), options?.signal);
      }
    }
  };
}

function mayPass({ code, isUncertain }: GuildhallError): boolean {
  return isUncertain || code === 'rate_limited' || code === 'too_many_attempts' || code === 'too_many_reads';
}
