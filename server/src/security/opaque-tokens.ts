import { crc32 } from 'node:zlib';
import { pooledRandomBytes } from './random-pool.ts';

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
  return opaqueToken(kind, pooledRandomBytes(SECRET_BYTES));
}

const SECRET_BYTES = 32;
const CHECKSUM_DIGITS = 8;

/** Encodes 32 secret bytes as an opaque token. */
export function opaqueToken(kind: TokenKind, secret: Buffer): string {
  const body = tokenFormat(kind).prefix + secret.toString('hex');
  return body + checksum(body);
}

/** Whether a text has the format of a token of this kind. The token may still be unknown. */
export function isOpaqueToken(kind: TokenKind, token: string): boolean {
  return (
    isLikeToken(kind, token) && checksum(token.slice(0, -CHECKSUM_DIGITS)) === token.slice(-CHECKSUM_DIGITS)
  );
}

/** Whether a text has the prefix and the length of a token of this kind. Its checksum may be wrong. */
export function isLikeToken(kind: TokenKind, token: string): boolean {
  const { prefix, length } = tokenFormat(kind);
  return token.length === length && token.startsWith(prefix);
}

/** The prefix and the length of all tokens of a kind. */
export function tokenFormat(kind: TokenKind): { prefix: string; length: number } {
  const prefix = `gh_${kind}_`;
  return { prefix, length: prefix.length + 2 * SECRET_BYTES + CHECKSUM_DIGITS };
}

/** The part of a token that the console may show to identify it. */
export function visiblePrefix(token: string): string {
  return token.slice(0, token.lastIndexOf('_') + 7);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(CHECKSUM_DIGITS, '0');
}
