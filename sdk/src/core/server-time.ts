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

/** The time by the server's clock, if this device's clock differed by more than 5 minutes when the token was received. */
export function serverTime(last: ReceivedToken | undefined): Date {
  const now = Date.now();
  if (!last) return new Date(now);
  const receivedAt = last.expiresAt - last.expiresIn * 1000;
  const ahead = receivedAt - issuedAt(last.accessToken);
  // A clock before the time of the answer was set since then, so the difference does not hold any more.
  const isKnown = Math.abs(ahead) > TOLERANCE_MS && now > receivedAt - TOLERANCE_MS;
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
