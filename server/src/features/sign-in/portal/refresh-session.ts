import { enterScope } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { exchangeRefreshToken, type RefreshRequest } from '../refresh-tokens/index.ts';
import { portalTokens, type PortalTokens, type SessionServices } from './open-session.ts';
import { findSessionOfToken, findTokenUse, revokeSession, rotateToken } from './queries.ts';

/** Exchanges the refresh token of a portal session for a new pair, by the rules of {@link exchangeRefreshToken}. */
export async function refreshSession(
  { database, vault, signer }: SessionServices,
  origin: Author['origin'],
  request: RefreshRequest,
): Promise<PortalTokens> {
  const { session, refreshToken } = await exchangeRefreshToken(
    {
      kind: 'portal',
      async rotate(hash, next) {
        const issued = await findSessionOfToken(database, hash);
        return issued && rotateToken(database.forPlayer(issued.playerId), hash, next);
      },
      async find(hash, successorHash) {
        const issued = await findSessionOfToken(database, hash);
        return issued && findTokenUse(database.forPlayer(issued.playerId), hash, successorHash);
      },
      scope: database,
      async revoke(transaction, { sessionId, playerId }) {
        await enterScope(transaction, 'player_id', playerId);
        return revokeSession(transaction, sessionId);
      },
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
