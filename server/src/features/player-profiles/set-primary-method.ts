import type { Database } from '../../database/database.ts';
import type { PlayerCaller } from '../../http/request-context.ts';
import { Problem } from '../../shared/problem.ts';
import { lockForNewSignIn } from './own-profile.ts';
import { makePrimary, type AuthMethod } from './queries.ts';

/** Makes a sign-in method of the player the primary one. Throws auth_method_not_found and profile_deleted. */
export async function setPrimaryMethod(
  database: Database,
  caller: PlayerCaller,
  methodId: string,
): Promise<AuthMethod> {
  const { playerId } = caller;
  return database.forPlayer(playerId).transaction(async (transaction) => {
    await lockForNewSignIn(transaction, caller);
    const method = await makePrimary(transaction, playerId, methodId);
    if (!method) throw new Problem('auth_method_not_found');
    return method;
  });
}
