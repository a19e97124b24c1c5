/** A UUID. `crypto.randomUUID` is missing on pages that are served without TLS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

/**
 * The longest wait that a `Retry-After` may ask for: an operator may correct its cause. A timer of more than 24 days would end at once.
 */
export const LONGEST_ASKED_MS = 3_600_000;

/**
 * Adds up to half to a wait. A rate limit is one for all players of a game: without this, all of them would come back in the
 * same second.
 */
export function withJitter(milliseconds: number): number {
  return milliseconds * (1 + Math.random() / 2);
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
