import type { TokenSigner } from '../signing-keys/index.ts';
import { newOpaqueToken } from '../../security/opaque-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import { secondsFromNow } from '../../shared/timestamps.ts';

/** The lifetime of an access token: 2 hours (spec: limits). */
export const ACCESS_TOKEN_SECONDS = 2 * 60 * 60;

/** The lifetime of a refresh token, from its issue: 30 days, so a session lives as long as it is used once a month. */
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

/** A refresh token as it is handed out, and as it is stored. */
export interface NewRefreshToken {
  token: string;
  hash: Buffer;
  expiresAt: string;
}

export function newRefreshToken(vault: Vault): NewRefreshToken {
  const token = newOpaqueToken('refresh');
  return { token, hash: vault.fingerprint(token), expiresAt: secondsFromNow(REFRESH_TOKEN_SECONDS) };
}

/** A player's access token for one session in one tenant (contract §2). */
export function signAccessToken(
  signer: TokenSigner,
  player: { playerId: string; tenantId: string; sessionId: string },
): string {
  const { playerId, tenantId, sessionId } = player;
  return signer.sign('player', playerId, { tid: tenantId, sid: sessionId }, ACCESS_TOKEN_SECONDS);
}
