import { secondsFromNow } from '../shared/timestamps.ts';
import { newOpaqueToken } from './opaque-tokens.ts';
import type { Vault } from './vault.ts';

/** The lifetime of a refresh token, from its issue: 30 days, so a session lives as long as it is used once a month. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

/**
 * Parallel refreshes of one client are told from theft by time: a used token that comes again within this many seconds
 * harms nothing (contract §2).
 */
export const REUSE_GRACE_SECONDS = 10;

/** A refresh token as it is handed out, and as it is stored. */
export interface NewRefreshToken {
  token: string;
  hash: Buffer;
  expiresAt: string;
}

/**
 * A new refresh token: of a player in a tenant (`refresh`) or in the portal (`portal`), of a dashboard account (`session`), or
 * of a third party (`thirdparty`).
 */
export function newRefreshToken(
  vault: Vault,
  kind: 'refresh' | 'portal' | 'session' | 'thirdparty',
): NewRefreshToken {
  const token = newOpaqueToken(kind);
  return { token, hash: vault.fingerprint(token), expiresAt: secondsFromNow(REFRESH_TOKEN_SECONDS) };
}
