import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { announceChange, type ChangeAuthor } from './announce-change.ts';
import { requireProof, verifyProof, type Applicant, type ProofServices } from './identity-proof.ts';
import { lockForNewSignIn } from './own-profile.ts';
import { makePrimary, type AuthMethod } from './queries.ts';

/**
 * Makes a sign-in method of the player the primary one. Throws auth_method_not_found, identity_proof_required and
 * profile_deleted.
 */
export async function setPrimaryMethod(
  services: ProofServices & MailServices,
  caller: Applicant & ChangeAuthor,
  methodId: string,
): Promise<AuthMethod> {
  const { playerId } = caller;
  const proof = await verifyProof(services, caller);
  return services.database.forPlayer(playerId).transaction(async (transaction) => {
    await proof?.use?.(transaction);
    await lockForNewSignIn(transaction, caller);
    await requireProof(transaction, services, caller, { proof });
    const method = await makePrimary(transaction, playerId, methodId);
    if (!method) throw new ProblemError('auth_method_not_found');
    const { authProvider } = method;
    await announceChange(services, transaction, caller, 'primary', { authProvider });
    return method;
  });
}
