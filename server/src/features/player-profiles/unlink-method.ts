import type { Database } from '../../database/database.ts';
import type { PlayerCaller } from '../../http/request-context.ts';
import { Problem } from '../../shared/problem.ts';
import { lockCredentials, unlinkAddress } from '../email-login/index.ts';
import { lockForNewSignIn } from './own-profile.ts';
import { deleteAuthMethod, findLastUsedMethod, makePrimary } from './queries.ts';

/**
 * Removes a sign-in method, with the password or the address that hangs on it alone. Where it was the primary one, the one
 * that was used last takes its place. Throws auth_method_not_found, last_auth_method, and profile_deleted.
 */
export async function unlinkMethod(
  database: Database,
  caller: PlayerCaller,
  methodId: string,
): Promise<void> {
  const { playerId } = caller;
  await database.forPlayer(playerId).transaction(async (transaction) => {
    await lockCredentials(transaction, [playerId]);
    await lockForNewSignIn(transaction, caller);
    const removed = await deleteAuthMethod(transaction, playerId, methodId);
    if (!removed) throw new Problem('auth_method_not_found');
    const next = await findLastUsedMethod(transaction, playerId);
    if (!next) throw new Problem('last_auth_method');
    if (removed.provider.startsWith('Email'))
      await unlinkAddress(transaction, playerId, removed.providerUserId);
    if (removed.isPrimary) await makePrimary(transaction, playerId, next.id);
  });
}
