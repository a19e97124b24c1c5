import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What an opaque token is for, readable at its start. */
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
  | 'mfa';

/**
 * A new opaque token: `gh_<kind>_`, 256 random bits as 64 hexadecimal digits, and 8 digits of checksum. The prefix
 * and the checksum let secret scanners find it and let us refuse a mistyped one without asking the database.
 */
export function newOpaqueToken(kind: TokenKind): string {
  return opaqueToken(kind, randomBytes(32));
}

/** The opaque token of 32 secret bytes. */
export function opaqueToken(kind: TokenKind, secret: Buffer): string {
  const body = `gh_${kind}_${secret.toString('hex')}`;
  return body + checksum(body);
}

/** Whether a text has the form of a token of this kind. Says nothing of whether it was ever issued. */
export function isOpaqueToken(kind: TokenKind, token: string): boolean {
  const prefix = `gh_${kind}_`;
  return (
    token.length === prefix.length + 72 &&
    token.startsWith(prefix) &&
    checksum(token.slice(0, -8)) === token.slice(-8)
  );
}

/** The part of a token that may be shown, to tell one from another. */
export function visiblePrefix(token: string): string {
  return token.slice(0, token.lastIndexOf('_') + 7);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
