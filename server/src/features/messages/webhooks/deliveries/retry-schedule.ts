const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The delays after the first, second, … failure, in seconds (docs/webhooks.md). The last attempt follows the last delay. */
const DELAYS_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

/** A delay is up to 20 % longer, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** The limit of a delay that the receiver requests. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR;

/**
 * Returns the delay before the next attempt in seconds, or undefined if no attempt is left. `failures` includes the latest
 * failure. The delay is at least as long as the `Retry-After` header of the receiver requests, up to 24 hours.
 */
export function retryDelay(failures: number, retryAfter: string | undefined): number | undefined {
  const delay = DELAYS_SECONDS[failures - 1];
  if (delay === undefined) return undefined;
  const requested = Math.min(parseRetryAfter(retryAfter), MAX_RETRY_AFTER_SECONDS);
  return Math.max(delay, requested) * (1 + Math.random() * JITTER);
}

/** Parses a number of seconds or an HTTP date. Returns 0 for anything else. */
function parseRetryAfter(retryAfter: string | undefined): number {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // Date.parse accepts almost any string. An HTTP date begins with a day of the week.
  const date = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, (date - Date.now()) / 1000);
}
