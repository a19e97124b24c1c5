import type { TokenSigner } from '../../platform/signing-keys/index.ts';

export const ACCESS_TOKEN_SECONDS = 2 * 60 * 60;

/** Signs a player's access token for one session. A portal session has no tenant. */
export function signAccessToken(
  signer: TokenSigner,
  player: { playerId: string; tenantId: string | null; sessionId: string },
): string {
  const { playerId, tenantId, sessionId } = player;
  return signer.sign('player', playerId, { tid: tenantId, sid: sessionId }, ACCESS_TOKEN_SECONDS);
}
