import type { Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { endPlayerSessions } from '../sessions/index.ts';
import { revokePortalSessions } from '../portal/index.ts';
import {
  deletePassword,
  listProviders,
  lockCredential,
  lockPlayer,
  markVerified,
  releaseAddress,
  removeSignInMethods,
} from './credential-queries.ts';
import { deleteTokens, type AddressOwner } from './token-queries.ts';

/** The address belongs to another player, or to no player, since it was read. */
export class CredentialChangedError extends Error {}

/**
 * Marks an address as verified after a person has shown that they read its mail. If it was unverified, the sign-up may have been an
 * attacker's. Then this removes the password, all other sign-in methods, all mailed tokens, and all sessions in all tenants and in
 * the portal. The profile stays. The caller's scope must be the player's. Throws {@link CredentialChangedError}.
 */
export async function confirmOwnership(
  transaction: Querier,
  { email, playerId }: AddressOwner,
): Promise<void> {
  const credential = await lockCredential(transaction, email);
  if (credential?.playerId !== playerId) throw new CredentialChangedError();
  // Every sign-in of the player writes its session under this lock. An earlier sign-in has committed, so its session is ended
  // below. A later one finds that its password or method was removed.
  await lockPlayer(transaction, playerId);
  if (!credential.isVerified) {
    await removeSignInMethods(transaction, playerId, email);
    await deleteTokens(transaction, playerId);
    await endPlayerSessions(transaction, playerId, 'everywhere', {
      reason: 'kicked',
      message: 'The owner of the email address has signed in.',
    });
    await revokePortalSessions(transaction, playerId);
  }
  await markVerified(transaction, { email, playerId, authMethodId: newId() });
}

/**
 * Cleans up after a sign-in method by email was removed. Deletes the mailed tokens, which would bring the method back, and the password.
 * If no method of the address is left, releases the address, so that others can use it. The caller has locked the player's addresses,
 * and its scope is the player's.
 */
export async function unlinkAddress(db: Querier, playerId: string, email: string): Promise<void> {
  await deleteTokens(db, playerId);
  const providers = await listProviders(db, playerId, email);
  if (providers.length === 0) await releaseAddress(db, { email, playerId });
  else if (!providers.includes('EmailPassword')) await deletePassword(db, { email, playerId });
}
