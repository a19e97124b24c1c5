import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findSessionOfToken, revokeSession } from './queries.ts';

/**
 * Ends the session of a refresh token: it and its successors stop working; the access token lives until it expires. Ending
 * a session again changes nothing. Throws invalid_refresh_token where the token was never issued.
 */
export async function logOut(
  { database, vault }: { database: Database; vault: Vault },
  token: string,
): Promise<void> {
  const session = await findSessionOfToken(database, vault.fingerprint(token));
  if (!session) throw new ProblemError('invalid_refresh_token');
  await revokeSession(database.forPlayer(session.playerId), session.sessionId);
}
