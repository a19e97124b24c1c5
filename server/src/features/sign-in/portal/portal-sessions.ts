import type { Database, Querier } from '../../../database/database.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import type { Origin } from '../../../core/author.ts';
import { issueTokens, type IssuedTokens } from '../tokens/index.ts';
import {
  logOutOwnedSession,
  refreshOwnedSession,
  type OwnedSessions,
  type RefreshRequest,
} from '../refresh-tokens/index.ts';
import {
  endSession,
  findLinkedPlayer,
  insertSession,
  PORTAL_TENANT_ID,
  revokeSession,
  sessionTables,
  type LinkedIdentity,
} from './queries.ts';

export interface PortalSessionServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/**
 * Creates a portal session for the active player of a verified identity. Never creates a player. Sign-ins of one player take turns,
 * because they wait for the lock of the player. `inTransaction` runs first in the transaction, and may refuse the sign-in. Throws
 * invalid_credentials if the identity is linked to no active player.
 */
export async function createPortalSession(
  { database, vault, signer }: PortalSessionServices,
  identity: LinkedIdentity,
  inTransaction?: (transaction: Querier) => Promise<void>,
): Promise<IssuedTokens> {
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'portal');
  const linked = requireLinked(await findLinkedPlayer(database, identity));
  const scope = database.forTenant(PORTAL_TENANT_ID, linked.playerId);
  const { playerId } = await scope.transaction(async (transaction) => {
    await inTransaction?.(transaction);
    return requireLinked(await insertSession(transaction, identity, { sessionId, refreshToken }));
  });
  return issueTokens(signer, { playerId, tenantId: null, sessionId, refreshToken: refreshToken.token });
}

function requireLinked<Linked>(linked: Linked | undefined): Linked {
  if (!linked) throw new ProblemError('invalid_credentials', 'No active player is linked to this identity.');
  return linked;
}

const sessions: OwnedSessions = {
  kind: 'portal',
  owner: 'player',
  tables: sessionTables,
  revokeSession,
  endSession,
};

/** Exchanges the refresh token of a portal session for a new pair of tokens: see {@link refreshOwnedSession}. */
export async function refreshSession(
  services: PortalSessionServices,
  origin: Origin,
  request: RefreshRequest,
): Promise<IssuedTokens> {
  const { session, refreshToken } = await refreshOwnedSession(sessions, services, origin, request);
  const { ownerId: playerId, sessionId } = session;
  return issueTokens(services.signer, { playerId, tenantId: null, sessionId, refreshToken });
}

/** Ends the portal session of a refresh token: see {@link logOutOwnedSession}. */
export async function logOut(services: { database: Database; vault: Vault }, token: string): Promise<void> {
  await logOutOwnedSession(sessions, services, token);
}
