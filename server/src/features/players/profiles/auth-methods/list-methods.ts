import type { Database } from '../../../../database/database.ts';
import type { PlayerCaller } from '../../../../core/callers.ts';
import { readUnlessRevoked } from '../read-profile.ts';
import { listAuthMethods, type AuthMethod } from './queries.ts';
import { mayUseProfile } from './identity-proof.ts';
import { findMethodOfPortalSession } from './proof-queries.ts';

/**
 * Lists the sign-in methods of a player. A portal session that may not use the profile gets only its own method, so that it can
 * remove it. Throws invalid_bearer for a token of a revoked session.
 */
export async function listMethods(
  services: { database: Database; config: { profileProof: boolean } },
  caller: PlayerCaller,
): Promise<AuthMethod[]> {
  const { playerId, sessionId } = caller;
  const methods = await readUnlessRevoked(services.database, caller, (transaction) =>
    listAuthMethods(transaction, playerId),
  );
  if (await mayUseProfile(services, caller)) return methods;
  const own = await findMethodOfPortalSession(services.database.forPlayer(playerId), playerId, sessionId);
  return methods.filter(({ id }) => id === own?.methodId);
}
