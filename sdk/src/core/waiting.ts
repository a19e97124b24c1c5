/**
 * The longest wait that a `Retry-After` may ask for: 2 minutes. An operator may raise a limit long before its hour ends. The server does not
 * count a refused request, so an early one does not delay the next.
 */
export const LONGEST_ASKED_MS = 120_000;

/**
 * Adds up to half to a wait. A rate limit is one for all players of a game: without this, all of them would come back in the
 * same second.
 */
export function withJitter(milliseconds: number): number {
  return milliseconds * (1 + Math.random() / 2);
}

/** The first and the longest pause after a failure. */
export interface BackOff {
  firstMs: number;
  longestMs: number;
}

/** The pause after a failure, which is at least what its `Retry-After` asks for. It grows with the failures before. */
export function pauseAfter(
  { retryAfter = 0 }: { retryAfter?: number | undefined },
  failuresBefore: number,
  { firstMs, longestMs }: BackOff,
): number {
  const backedOff = Math.min(longestMs, firstMs * 2 ** failuresBefore) * (0.5 + Math.random() / 2);
  return Math.max(backedOff, withJitter(Math.min(retryAfter * 1_000, LONGEST_ASKED_MS)));
}

/** Waits, or until the signal ends the wait. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
