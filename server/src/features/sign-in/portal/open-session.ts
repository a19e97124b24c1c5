import type { Database, Querier } from '../../../database/database.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { ACCESS_TOKEN_SECONDS, signAccessToken } from '../tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { insertSession, type LinkedIdentity } from './queries.ts';

export interface SessionServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/** What every door of the portal answers, and refresh (contract §10). */
export interface PortalTokens {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  playerId: string;
}

/**
 * Opens a portal session for the active player to whom an identity is linked, once its provider has vouched for it. It creates
 * nobody. Throws invalid_credentials where there is no such player.
 */
export async function createSession(
  { database, vault, signer }: Omit<SessionServices, 'database'> & { database: Querier },
  identity: LinkedIdentity,
): Promise<PortalTokens> {
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'portal');
  const opened = await insertSession(database, identity, { sessionId, refreshToken });
  if (!opened) throw new ProblemError('invalid_credentials', `No active player is linked to this identity.`);
  return portalTokens(signer, { sessionId, playerId: opened.playerId }, refreshToken.token);
}

/** Signs the access token of a session that has been stored, and puts the answer together. */
export function portalTokens(
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
