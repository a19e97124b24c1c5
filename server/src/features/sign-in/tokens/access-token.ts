import type { PlayerCaller } from '../../../core/callers.ts';
import type { TokenClaims, TokenSigner } from '../../platform/signing-keys/index.ts';

const ACCESS_TOKEN_SECONDS = 2 * 60 * 60;

/** The tokens of a session. The response of every sign-in to the player portal and of its refresh. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  playerId: string;
}

/** Signs an access token for a stored session. A portal session has no tenant. */
export function issueTokens(
  signer: TokenSigner,
  session: { playerId: string; tenantId: string | null; sessionId: string; refreshToken: string },
): IssuedTokens {
  const { playerId, tenantId, sessionId, refreshToken } = session;
  return {
    accessToken: signer.sign('player', playerId, { tid: tenantId, sid: sessionId }, ACCESS_TOKEN_SECONDS),
    refreshToken,
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
    playerId,
  };
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
