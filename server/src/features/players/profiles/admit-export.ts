import type { MailServices } from '../../messages/mail/index.ts';
import { announceChange, type ChangeAuthor } from './announce-change.ts';
import { requireProof, verifyProof, type Applicant, type ProofServices } from './identity-proof.ts';
import { lockProfiles } from './queries.ts';

/** Lets a player export everything held about them, and announces it before the first byte. Throws identity_proof_required. */
export async function admitExport(
  services: ProofServices & MailServices,
  caller: Applicant & ChangeAuthor,
): Promise<void> {
  const proof = await verifyProof(services, caller);
  await services.database.forPlayer(caller.playerId).transaction(async (transaction) => {
    await proof?.use?.(transaction);
    await lockProfiles(transaction, [caller.playerId]);
    await requireProof(transaction, services, caller, { proof });
    await announceChange(services, transaction, caller, 'exported');
  });
}
