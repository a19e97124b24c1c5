import type { Author } from '../../../core/author.ts';
import { exchangeRefreshToken, type RefreshRequest } from '../refresh-tokens/index.ts';
import { portalTokens, type PortalSessionServices, type PortalTokens } from './create-session.ts';
import { findTokenUse, revokeSession, rotateToken } from './queries.ts';

/** Exchanges the refresh token of a portal session for a new pair of tokens: see {@link exchangeRefreshToken}. */
export async function refreshSession(
  { database, vault, signer }: PortalSessionServices,
  origin: Author['origin'],
  request: RefreshRequest,
): Promise<PortalTokens> {
  const { session, refreshToken } = await exchangeRefreshToken(
    {
      kind: 'portal',
      rotate: (hash, next) => rotateToken(database, hash, next),
      find: (hash, successorHash) => findTokenUse(database, hash, successorHash),
      scope: database,
      revoke: (transaction, { sessionId }) => revokeSession(transaction, sessionId),
      reuseOf: ({ sessionId, playerId }) => ({
        action: 'refresh_token.reused',
        actor: { kind: 'player', id: playerId },
        ...(origin && { origin }),
        targetId: sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      }),
    },
    vault,
    request,
  );
  return portalTokens(signer, session, refreshToken);
}
