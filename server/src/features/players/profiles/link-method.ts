import type { Querier } from '../../../database/database.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { hasSecret, type Identity } from '../../sign-in/login/index.ts';
import { announceChange, type ChangeAuthor } from './announce-change.ts';
import { requireProof, verifyProof, type Applicant, type ProofServices } from './identity-proof.ts';
import { MOST_METHODS } from './limits.ts';
import { lockForNewSignIn } from './own-profile.ts';
import { confirmMethod } from './proof-queries.ts';
import { findIdentity, insertAuthMethod, listAuthMethods, makePrimary, type AuthMethod } from './queries.ts';
import { verifyCredential, type Credential } from './verify-credential.ts';

/**
 * Links a provider's identity to the player, as a further way to sign in. One that is theirs already stays as it is; but with a
 * proof, it is good everywhere from now on. Throws credential_refused, auth_method_taken, auth_method_limit,
 * identity_proof_required, profile_deleted and provider_unavailable.
 */
export async function linkMethod(
  services: ProofServices & MailServices,
  caller: Applicant & ChangeAuthor,
  { credential, setAsPrimary }: { credential: Credential; setAsPrimary: boolean },
): Promise<AuthMethod> {
  const { playerId } = caller;
  const own = services.database.forPlayer(playerId);
  // Before the provider is asked, which may use a credential up; and again below, for that takes its time.
  await own.transaction(async (transaction) => {
    await lockForNewSignIn(transaction, caller);
    if (!caller.proof) await requireProof(transaction, services, caller);
  });
  const proof = await verifyProof(services, caller);
  const { identity, claim } = await verifyCredential(services, caller, credential);

  return own.transaction(async (transaction) => {
    if (claim && !(await claim(transaction, playerId))) throw taken();
    await proof?.use?.(transaction);
    await lockForNewSignIn(transaction, caller);
    const linkedIn = await requireProof(transaction, services, caller, { proof });
    const method = await linkIdentity(transaction, playerId, identity, linkedIn);
    await announceChange(services, transaction, caller, 'linked', { authProvider: identity.provider });
    if (!setAsPrimary) return method;
    return (await makePrimary(transaction, playerId, method.id)) ?? method;
  });
}

/** `linkedIn` is the workspace that the method is good in; null if everywhere. */
async function linkIdentity(
  db: Querier,
  playerId: string,
  identity: Identity,
  linkedIn: string | null,
): Promise<AuthMethod> {
  const known = await findIdentity(db, identity);
  if (known && !hasSecret(identity, known.secretHash)) throw new ProblemError('credential_refused');
  const methods = await listAuthMethods(db, playerId);
  if (!known) {
    if (methods.length >= MOST_METHODS)
      throw new ProblemError(
        'auth_method_limit',
        `A profile may have at most ${MOST_METHODS} sign-in methods. Remove one first.`,
      );
    const added = await insertAuthMethod(db, identity, { id: newId(), playerId, at: now(), linkedIn });
    if (added) return added;
  }
  const own = methods.find(({ id }) => id === known?.methodId);
  if (!own) throw taken();
  if (linkedIn === null) await confirmMethod(db, own.id);
  return own;
}

function taken(): ProblemError {
  return new ProblemError('auth_method_taken');
}
