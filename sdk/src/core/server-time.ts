/** An access token, and when it was received by the clock of this device: `expiresIn` before `expiresAt`. */
interface ReceivedToken {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** An answer may be late by a minute. A difference above this is a clock that is wrong. */
const TOLERANCE_MS = 5 * 60_000;

/** How far the clock of the device is ahead of the monotonic clock, in milliseconds. It jumps if the clock is set. */
export const clockOffset = () => Date.now() - performance.now();

/**
 * The time by the server's clock, if this device's clock differed by more than 5 minutes when the token was received. `offset` is the
 * clock offset at that time.
 */
export function serverTime(last: ReceivedToken | undefined, offset: number): Date {
  const now = Date.now();
  if (!last) return new Date(now);
  const receivedAt = last.expiresAt - last.expiresIn * 1000;
  const ahead = receivedAt - issuedAt(last.accessToken);
  // A clock that jumped by the difference, or that is before the time of the answer, was set since then. A monotonic clock may stop while
  // the device sleeps, so another jump says nothing.
  const isCorrected =
    Math.abs(clockOffset() - offset + ahead) < TOLERANCE_MS || now < receivedAt - TOLERANCE_MS;
  const isKnown = Math.abs(ahead) > TOLERANCE_MS && !isCorrected;
  return new Date(isKnown ? now - ahead : now);
}

/** When the server issued the token (`iat`), in milliseconds, or NaN if the token does not say it. */
function issuedAt(accessToken: string): number {
  try {
    const payload = accessToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return Number((JSON.parse(atob(payload)) as { iat?: unknown }).iat) * 1000;
  } catch {
    return NaN;
  }
}
