import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { ACCESS_TOKEN_SECONDS, signAccessToken } from './access-token.ts';

/** The response of every sign-in to a game and of the refresh. */
export interface PlayerTokens {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  playerId: string;
  isNewPlayer: boolean;
  tenantId: string;
  sessionId: string;
}

/** Signs an access token for a stored session and builds the response. */
export function playerTokens(
  signer: TokenSigner,
  session: Pick<PlayerTokens, 'playerId' | 'tenantId' | 'sessionId' | 'refreshToken' | 'isNewPlayer'>,
): PlayerTokens {
  const { playerId, tenantId, sessionId, refreshToken, isNewPlayer } = session;
  return {
    accessToken: signAccessToken(signer, { playerId, tenantId, sessionId }),
    refreshToken,
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
    playerId,
    isNewPlayer,
    tenantId,
    sessionId,
  };
}
