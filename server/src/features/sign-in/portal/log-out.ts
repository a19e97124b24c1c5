import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findSessionOfToken, revokeSession } from './queries.ts';

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
  await revokeSession(database, session.sessionId);
}
