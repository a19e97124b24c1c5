import { secondsFromNow } from '../core/timestamps.ts';
import { newOpaqueToken, opaqueToken } from './opaque-tokens.ts';
import type { Vault } from './vault.ts';

/**
 * The lifetime of a refresh token, in days from its issue: a session lives as long as it is used once in this time. The lifetime in
 * games is a setting. Sessions of the portal and of console accounts can change profiles and games, so their lifetime is fixed.
 */
const DEFAULT_REFRESH_TOKEN_DAYS = 30;

const SECONDS_PER_DAY = 24 * 60 * 60;

/**
 * The owner of a refresh token: a player in a tenant (`refresh`) or in the portal (`portal`), a console account
 * (`session`), or a third party (`thirdparty`).
 */
export type RefreshTokenKind = 'refresh' | 'portal' | 'session' | 'thirdparty';

/** The stored form of a refresh token. */
export interface StoredRefreshToken {
  hash: Buffer;
  expiresAt: string;
}

/** A new refresh token, with its stored form. */
export interface NewRefreshToken extends StoredRefreshToken {
  token: string;
}

/** Creates a random refresh token. */
export function newRefreshToken(
  vault: Vault,
  kind: RefreshTokenKind,
  days = DEFAULT_REFRESH_TOKEN_DAYS,
): NewRefreshToken {
  return issued(vault, newOpaqueToken(kind), days);
}

/**
 * Creates the successor of `token`. With an idempotency key it is derived from both, so that a repeated request gets
 * the same token although only its hash is stored. Without a key it is random.
 */
export function successorOf(
  vault: Vault,
  kind: RefreshTokenKind,
  token: string,
  idempotencyKey: string | undefined,
  days = DEFAULT_REFRESH_TOKEN_DAYS,
): NewRefreshToken {
  if (idempotencyKey === undefined) return newRefreshToken(vault, kind, days);
  // Neither text contains a line feed, so no other pair gives the same input.
  return issued(vault, opaqueToken(kind, vault.derive(`${token}\n${idempotencyKey}`)), days);
}

function issued(vault: Vault, token: string, days: number): NewRefreshToken {
  return { token, hash: vault.fingerprint(token), expiresAt: secondsFromNow(days * SECONDS_PER_DAY) };
}
