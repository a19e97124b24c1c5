import type { Querier } from '../../../database/database.ts';
import { deleteCredential, deletePassword, providersOf } from './queries.ts';

/**
 * Removes what hangs on a sign-in method by e-mail that was just removed: the password, and with the last method of the address
 * the address itself, which is free for others then. The caller has locked the player's addresses; its scope is the player's.
 */
export async function unlinkAddress(db: Querier, playerId: string, email: string): Promise<void> {
  const left = await providersOf(db, playerId, email);
  if (left.length === 0) await deleteCredential(db, { email, playerId });
  else if (!left.includes('EmailPassword')) await deletePassword(db, { email, playerId });
}
