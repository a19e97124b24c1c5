import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { issueTokens, type IssuedTokens } from './access-token.ts';

/** The response of every sign-in to a game and of the refresh. */
export interface PlayerTokens extends IssuedTokens {
  isNewPlayer: boolean;
  tenantId: string;
  sessionId: string;
}

/** Signs an access token for a stored session and builds the response. */
export function playerTokens(
  signer: TokenSigner,
  session: Pick<PlayerTokens, 'playerId' | 'tenantId' | 'sessionId' | 'refreshToken' | 'isNewPlayer'>,
): PlayerTokens {
  const { isNewPlayer, tenantId, sessionId } = session;
  return { ...issueTokens(signer, session), isNewPlayer, tenantId, sessionId };
}
