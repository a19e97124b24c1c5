import { enterScope, type Database, type Querier } from '../../../database/database.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import type { Author } from '../../../core/author.ts';
import { ACCESS_TOKEN_SECONDS, signAccessToken } from '../tokens/index.ts';
import { exchangeRefreshToken, type RefreshRequest } from '../refresh-tokens/index.ts';
import {
  insertSession,
  type LinkedIdentity,
  findTokenUse,
  revokeSession,
  rotateToken,
  findSessionOfToken,
} from './queries.ts';

export interface PortalSessionServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/** The response of every portal sign-in and of the refresh. */
export interface PortalTokens {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  playerId: string;
}

/**
 * Creates a portal session for the active player of a verified identity. Never creates a player. Throws invalid_credentials if the
 * identity is linked to no active player.
 */
export async function createPortalSession(
  { database, vault, signer }: Omit<PortalSessionServices, 'database'> & { database: Querier },
  identity: LinkedIdentity,
): Promise<PortalTokens> {
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'portal');
  const session = await insertSession(database, identity, { sessionId, refreshToken });
  if (!session) throw new ProblemError('invalid_credentials', `No active player is linked to this identity.`);
  return portalTokens(signer, { sessionId, playerId: session.playerId }, refreshToken.token);
}

/** Signs an access token for a stored session and builds the response. */
function portalTokens(
  signer: TokenSigner,
  { sessionId, playerId }: { sessionId: string; playerId: string },
  refreshToken: string,
): PortalTokens {
  return {
    accessToken: signAccessToken(signer, { playerId, tenantId: null, sessionId }),
    refreshToken,
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
    playerId,
  };
}

/** Exchanges the refresh token of a portal session for a new pair of tokens: see {@link exchangeRefreshToken}. */
export async function refreshSession(
  { database, vault, signer }: PortalSessionServices,
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

/**
 * Ends the session of a refresh token. All refresh tokens of the session stop working; the access token stays valid until it expires.
 * Idempotent. Throws invalid_refresh_token if the token was never issued.
 */
export async function logOut(
  { database, vault }: { database: Database; vault: Vault },
  token: string,
): Promise<void> {
  const session = await findSessionOfToken(database, vault.fingerprint(token));
  if (!session) throw new ProblemError('invalid_refresh_token');
  await revokeSession(database.forPlayer(session.playerId), session.sessionId);
}
