import { ProblemError } from '../../../core/problem.ts';
import { lockCredentials, unlinkAddress } from '../../sign-in/email/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { announceChange, type ChangeAuthor } from './announce-change.ts';
import { requireProof, verifyProof, type Applicant, type ProofServices } from './identity-proof.ts';
import { lockForNewSignIn } from './own-profile.ts';
import { deleteAuthMethod, findLastUsedMethod, makePrimary } from './queries.ts';

/**
 * Removes a sign-in method, with the password or the address that hangs on it alone. Where it was the primary one, the one
 * that was used last takes its place. Throws auth_method_not_found, last_auth_method, identity_proof_required and profile_deleted.
 */
export async function unlinkMethod(
  services: ProofServices & MailServices,
  caller: Applicant & ChangeAuthor,
  methodId: string,
): Promise<void> {
  const { playerId } = caller;
  const proof = await verifyProof(services, caller);
  await services.database.forPlayer(playerId).transaction(async (transaction) => {
    await lockCredentials(transaction, [playerId]);
    await proof?.use?.(transaction);
    await lockForNewSignIn(transaction, caller);
    await requireProof(transaction, services, caller, { proof, removes: methodId });
    const removed = await deleteAuthMethod(transaction, playerId, methodId);
    if (!removed) throw new ProblemError('auth_method_not_found');
    const next = await findLastUsedMethod(transaction, playerId);
    if (!next) throw new ProblemError('last_auth_method');
    // Before the address goes, for it is told too.
    await announceChange(services, transaction, caller, 'unlinked', { authProvider: removed.provider });
    if (removed.provider.startsWith('Email'))
      await unlinkAddress(transaction, playerId, removed.providerUserId);
    if (removed.isPrimary) await makePrimary(transaction, playerId, next.id);
  });
}
