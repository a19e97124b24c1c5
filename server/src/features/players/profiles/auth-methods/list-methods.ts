import type { Database } from '../../../../database/database.ts';
import type { PlayerCaller } from '../../../../core/callers.ts';
import { readUnlessRevoked } from '../lock-profile.ts';
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
  const player = services.database.forPlayer(playerId);
  const methods = await readUnlessRevoked(player, caller, (transaction) =>
    listAuthMethods(transaction, playerId),
  );
  if (await mayUseProfile(services, caller)) return methods;
  const own = await findMethodOfPortalSession(player, playerId, sessionId);
  return methods.filter(({ id }) => id === own?.methodId);
}
