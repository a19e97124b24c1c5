import type { PlayerCaller } from '../../../core/callers.ts';
import type { TokenClaims, TokenSigner } from '../../platform/signing-keys/index.ts';

export const ACCESS_TOKEN_SECONDS = 2 * 60 * 60;

/** Signs a player's access token for one session. A portal session has no tenant. */
export function signAccessToken(
  signer: TokenSigner,
  player: { playerId: string; tenantId: string | null; sessionId: string },
): string {
  const { playerId, tenantId, sessionId } = player;
  return signer.sign('player', playerId, { tid: tenantId, sid: sessionId }, ACCESS_TOKEN_SECONDS);
}

/** The player of the claims of an access token. */
export function playerOfClaims({ sub: playerId, exp, ...claims }: TokenClaims): PlayerCaller {
  return {
    playerId,
    tenantId: claims['tid'] as string | null,
    sessionId: claims['sid'] as string | null,
    expiresAtMs: exp * 1000,
  };
}
