import { secondsFromNow } from '../core/timestamps.ts';
import { newOpaqueToken, opaqueToken } from './opaque-tokens.ts';
import type { Vault } from './vault.ts';

/** The lifetime of a refresh token, from its issue: 30 days, so a session lives as long as it is used once a month. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

/**
 * Whose refresh token it is: of a player in a tenant (`refresh`) or in the portal (`portal`), of a dashboard account
 * (`session`), or of a third party (`thirdparty`).
 */
export type RefreshTokenKind = 'refresh' | 'portal' | 'session' | 'thirdparty';

/** A refresh token as it is stored. */
export interface StoredRefreshToken {
  hash: Buffer;
  expiresAt: string;
}

/** A refresh token as it is handed out, and as it is stored. */
export interface NewRefreshToken extends StoredRefreshToken {
  token: string;
}

/** A new, random refresh token. */
export function newRefreshToken(vault: Vault, kind: RefreshTokenKind): NewRefreshToken {
  return issued(vault, newOpaqueToken(kind));
}

/**
 * The token that follows `token`. With an idempotency key it is derived from both, so that a repeated request gets the same
 * token although only its hash is stored. Without a key it is random.
 */
export function successorOf(
  vault: Vault,
  kind: RefreshTokenKind,
  token: string,
  idempotencyKey: string | undefined,
): NewRefreshToken {
  if (idempotencyKey === undefined) return newRefreshToken(vault, kind);
  // Neither text holds a line feed, so no other pair gives the same input.
  return issued(vault, opaqueToken(kind, vault.derive(`${token}\n${idempotencyKey}`)));
}

function issued(vault: Vault, token: string): NewRefreshToken {
  return { token, hash: vault.fingerprint(token), expiresAt: secondsFromNow(REFRESH_TOKEN_SECONDS) };
}
