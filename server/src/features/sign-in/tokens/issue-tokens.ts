import type { TokenSigner } from '../../platform/signing-keys/index.ts';

/** The lifetime of an access token: 2 hours (spec: limits). */
export const ACCESS_TOKEN_SECONDS = 2 * 60 * 60;

/** A player's access token for one session in one tenant, or in the portal, which is of none (contract §2). */
export function signAccessToken(
  signer: TokenSigner,
  player: { playerId: string; tenantId: string | null; sessionId: string },
): string {
  const { playerId, tenantId, sessionId } = player;
  return signer.sign('player', playerId, { tid: tenantId, sid: sessionId }, ACCESS_TOKEN_SECONDS);
}
