import type { Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  logOutOwnedSession,
  refreshOwnedSession,
  type OwnedSessions,
  type RefreshRequest,
} from '../../sign-in/refresh-tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { findAccount } from './queries.ts';
import { revokeSession, sessionTables, updateLastUse } from './session-queries.ts';
import { createSignedIn, type SignedIn } from './sessions.ts';

export interface RefreshServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

const sessions: OwnedSessions = {
  kind: 'session',
  owner: 'account',
  tables: sessionTables,
  revokeSession,
  endSession: revokeSession,
};

/** Exchanges the refresh token of a console session for new tokens: see {@link refreshOwnedSession}. */
export async function refreshSession(
  services: RefreshServices,
  origin: Origin,
  request: RefreshRequest,
): Promise<SignedIn> {
  const { session, refreshToken } = await refreshOwnedSession(sessions, services, origin, request);
  const { sessionId, ownerId: accountId } = session;
  const scope = services.database.forAccount(accountId);
  const account = await findAccount(scope, accountId);
  if (!account) throw new ProblemError('invalid_refresh_token');
  await updateLastUse(scope, sessionId, origin);
  return createSignedIn(services.signer, account, sessionId, refreshToken);
}

/** Ends the console session of a refresh token: see {@link logOutOwnedSession}. */
export async function logOut(services: { database: Database; vault: Vault }, token: string): Promise<void> {
  await logOutOwnedSession(sessions, services, token);
}
