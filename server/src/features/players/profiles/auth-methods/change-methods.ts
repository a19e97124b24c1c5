import type { Querier } from '../../../../database/database.ts';
import { newId } from '../../../../core/ids.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { now } from '../../../../core/timestamps.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import { lockCredentials, notifyChange, unlinkAddress } from '../../../sign-in/email/index.ts';
import { hasSecret, type Identity } from '../../../sign-in/login/index.ts';
import { revokePortalSessions } from '../../../sign-in/portal/index.ts';
import { endPlayerSessions } from '../../../sign-in/sessions/index.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import {
  lockForProvenChange,
  refuseEarly,
  verifyProof,
  type CallerWithProof,
  type ProofServices,
} from './identity-proof.ts';
import { allowMethodEverywhere } from './proof-queries.ts';
import {
  deleteAuthMethod,
  findAuthMethod,
  findIdentity,
  findLastUsedMethod,
  insertAuthMethod,
  listAuthMethods,
  makePrimary,
  MAX_AUTH_METHODS,
  type AuthMethod,
} from './queries.ts';
import { verifyCredential, type Credential } from './verify-credential.ts';

/**
 * Links an identity to the player as another sign-in method. A method that the player already has does not change, except that a
 * proof of identity makes it valid in all workspaces. Throws credential_refused, auth_method_taken, auth_method_limit,
 * identity_proof_required, too_many_attempts, profile_deleted and provider_unavailable.
 */
export async function linkMethod(
  services: ProofServices & MailServices & ChangeBudgets,
  caller: CallerWithProof,
  { credential, setAsPrimary }: { credential: Credential; setAsPrimary: boolean },
): Promise<AuthMethod> {
  const { playerId } = caller;
  // Before the provider consumes a single-use credential. The transaction below checks again, because the provider's answer takes time.
  await refuseEarly(services, caller);
  const proof = await verifyProof(services, caller);
  const { identity, claim } = await verifyCredential(services, caller, credential);

  return services.database.forPlayer(playerId).transaction(async (transaction) => {
    if (claim && !(await claim(transaction, playerId))) throw new ProblemError('auth_method_taken');
    const linkedInWorkspace = await lockForProvenChange(transaction, services, caller, { proof });
    const { method, isChanged } = await linkIdentity(transaction, playerId, identity, linkedInWorkspace);
    const becomesPrimary = setAsPrimary && !method.isPrimary;
    const details = () => ({ authProvider: identity.provider });
    if (isChanged || becomesPrimary) await services.profileChanges.spend(playerId);
    if (isChanged) await notifyChange(services, transaction, caller, 'linked', details);
    if (becomesPrimary) await notifyChange(services, transaction, caller, 'primary', details);
    return becomesPrimary ? makePrimary(transaction, playerId, method) : method;
  });
}

/**
 * `linkedInWorkspace` is the workspace to which the method is restricted; null means all workspaces. `isChanged` is false if the
 * player had the method already, in the same workspaces.
 */
async function linkIdentity(
  db: Querier,
  playerId: string,
  identity: Identity,
  linkedInWorkspace: string | null,
): Promise<{ method: AuthMethod; isChanged: boolean }> {
  const known = await findIdentity(db, identity);
  if (known && !hasSecret(identity, known.secretHash)) throw new ProblemError('credential_refused');
  const methods = await listAuthMethods(db, playerId);
  if (!known) {
    if (methods.length >= MAX_AUTH_METHODS)
      throw new ProblemError(
        'auth_method_limit',
        `A profile can have at most ${MAX_AUTH_METHODS} sign-in methods. Remove one first.`,
      );
    const added = await insertAuthMethod(db, identity, {
      id: newId(),
      playerId,
      at: now(),
      linkedInWorkspace,
    });
    if (added) return { method: added, isChanged: true };
  }
  const own = methods.find(({ id }) => id === known?.methodId);
  if (!own) throw new ProblemError('auth_method_taken');
  const isChanged = linkedInWorkspace === null && (await allowMethodEverywhere(db, playerId, own));
  return { method: own, isChanged };
}

/**
 * Removes a sign-in method, and its password or email address if no other method uses it. Ends the sessions that it opened,
 * in all tenants and in the portal. If it was the primary method, the last used one becomes primary. Throws auth_method_not_found,
 * last_auth_method, identity_proof_required and profile_deleted.
 */
export async function unlinkMethod(
  services: ProofServices & MailServices,
  caller: CallerWithProof,
  methodId: string,
): Promise<void> {
  const { playerId } = caller;
  const proof = await verifyProof(services, caller);
  await services.database.forPlayer(playerId).transaction(async (transaction) => {
    await lockCredentials(transaction, [playerId]);
    await lockForProvenChange(transaction, services, caller, { proof, removedMethodId: methodId });
    const removed = await deleteAuthMethod(transaction, playerId, methodId);
    if (!removed) throw new ProblemError('auth_method_not_found');
    const next = await findLastUsedMethod(transaction, playerId);
    if (!next) throw new ProblemError('last_auth_method');
    await endPlayerSessions(
      transaction,
      playerId,
      { authMethodId: methodId },
      {
        reason: 'kicked',
        message: 'The sign-in method was removed.',
        // A player who removes the method in use can link it again while the token is valid.
        keepToken: caller.sessionId,
      },
    );
    await revokePortalSessions(transaction, playerId, methodId);
    // Notify before the address is removed, so that it gets the mail too.
    await notifyChange(services, transaction, caller, 'unlinked', () => ({ authProvider: removed.provider }));
    if (removed.provider.startsWith('Email'))
      await unlinkAddress(transaction, playerId, removed.providerUserId);
    if (removed.isPrimary) await makePrimary(transaction, playerId, next);
  });
}

/**
 * Makes a sign-in method the primary one. If it is primary, nothing is written or notified. Throws auth_method_not_found,
 * identity_proof_required, too_many_attempts and profile_deleted.
 */
export async function setPrimaryMethod(
  services: ProofServices & MailServices & ChangeBudgets,
  caller: CallerWithProof,
  methodId: string,
): Promise<AuthMethod> {
  const { playerId } = caller;
  const proof = await verifyProof(services, caller);
  return services.database.forPlayer(playerId).transaction(async (transaction) => {
    await lockForProvenChange(transaction, services, caller, { proof });
    const method = await findAuthMethod(transaction, playerId, methodId);
    if (!method) throw new ProblemError('auth_method_not_found');
    if (method.isPrimary) return method;
    const { authProvider } = method;
    await services.profileChanges.spend(playerId);
    await notifyChange(services, transaction, caller, 'primary', () => ({ authProvider }));
    return makePrimary(transaction, playerId, method);
  });
}
