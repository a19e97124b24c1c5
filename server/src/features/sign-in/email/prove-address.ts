import type { Database, Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { endPlayerSessions } from '../sessions/index.ts';
import { revokePortalSessions } from '../portal/index.ts';
import {
  deleteTokens,
  lockCredential,
  lockPlayer,
  markVerified,
  removeSignInMethods,
  type TokenOwner,
} from './queries.ts';

/** The address has got another player, or none, since it was looked at. */
export class CredentialChangedError extends Error {}

/** As {@link proveInTransaction}, in a transaction of its own. */
export async function proveAddress(database: Database, owner: TokenOwner): Promise<void> {
  await database
    .forPlayer(owner.playerId)
    .transaction((transaction) => proveInTransaction(transaction, owner));
}

/**
 * Somebody has shown that they read the mail of an address. Where nobody had before, whoever signed up with it may have been
 * somebody else: so the password, every other sign-in method, all that was mailed, and all sessions end, in all tenants and in the
 * portal; the profile stays. The caller's scope is the player's. Throws {@link CredentialChangedError}.
 */
export async function proveInTransaction(
  transaction: Querier,
  { email, playerId }: TokenOwner,
): Promise<void> {
  const credential = await lockCredential(transaction, email);
  if (credential?.playerId !== playerId) throw new CredentialChangedError();
  // Under this lock every sign-in of the player writes its session: each is over, and its session is ended below, or comes
  // later, and finds that its password or method is gone.
  await lockPlayer(transaction, playerId);
  if (!credential.isVerified) {
    await removeSignInMethods(transaction, playerId, email);
    await deleteTokens(transaction, playerId);
    await endPlayerSessions(transaction, playerId, 'everywhere', {
      reason: 'kicked',
      message: 'The owner of the e-mail address has signed in.',
    });
    await revokePortalSessions(transaction, playerId);
  }
  await markVerified(transaction, { email, playerId, authMethodId: newId() });
}
