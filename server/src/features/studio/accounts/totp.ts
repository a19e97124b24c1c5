import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// Time-based one-time passwords (RFC 6238) with the parameters that every authenticator app supports: SHA-1, 6 digits, 30 seconds.
const STEP_SECONDS = 30;

/** 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): Buffer {
  return randomBytes(20);
}

/** Returns the number of the time step that contains a time. */
export function stepAt(ms: number): number {
  return Math.floor(ms / 1000 / STEP_SECONDS);
}

/** Returns the code of a time step. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const truncated = mac.readUInt32BE(mac[19]! & 0xf) & 0x7fffffff;
  return String(truncated % 1_000_000).padStart(6, '0');
}

/**
 * Returns the time step of a code, or undefined if the code is wrong. The step before and the step after the current one are
 * accepted too, because clocks differ.
 */
export function matchingStep(secret: Buffer, code: string, nowMs: number): number | undefined {
  const given = Buffer.from(code);
  const current = stepAt(nowMs);
  return [current, current - 1, current + 1].find((step) => {
    const expected = Buffer.from(totpCode(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes a secret for authenticator apps (RFC 4648 without padding). */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Returns the URI that an authenticator app reads from a QR code. `issuer` must not contain a colon. */
export function otpauthUri({
  issuer,
  email,
  secret,
}: {
  issuer: string;
  email: string;
  secret: string;
}): string {
  const parameters = { secret, issuer, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${query.join('&')}`;
}
