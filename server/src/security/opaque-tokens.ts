import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The purpose of an opaque token, which its prefix shows. */
export type TokenKind =
  | 'game'
  | 'api'
  | 'refresh'
  | 'session'
  | 'portal'
  | 'thirdparty'
  | 'invite'
  | 'verify'
  | 'reset'
  | 'mfa'
  | 'link';

/**
 * Creates an opaque token: `gh_<kind>_`, 256 random bits as 64 hexadecimal digits, and 8 digits of checksum. Secret
 * scanners recognize the prefix and the checksum. A mistyped token is rejected without a database query.
 */
export function newOpaqueToken(kind: TokenKind): string {
  return opaqueToken(kind, secretBytes());
}

const SECRET_BYTES = 32;

/** Random bytes for the next secrets. One call of the generator for many secrets takes a tenth of the time. */
let pool = Buffer.alloc(0);

function secretBytes(): Buffer {
  if (pool.length === 0) pool = randomBytes(64 * SECRET_BYTES);
  const secret = pool.subarray(0, SECRET_BYTES);
  pool = pool.subarray(SECRET_BYTES);
  return secret;
}

/** Encodes 32 secret bytes as an opaque token. */
export function opaqueToken(kind: TokenKind, secret: Buffer): string {
  const body = `gh_${kind}_${secret.toString('hex')}`;
  return body + checksum(body);
}

/** Whether a text has the format of a token of this kind. The token may still be unknown. */
export function isOpaqueToken(kind: TokenKind, token: string): boolean {
  const prefix = `gh_${kind}_`;
  return (
    token.length === prefix.length + 72 &&
    token.startsWith(prefix) &&
    checksum(token.slice(0, -8)) === token.slice(-8)
  );
}

/** The part of a token that the dashboard may show to identify it. */
export function visiblePrefix(token: string): string {
  return token.slice(0, token.lastIndexOf('_') + 7);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
