import type { Database, Querier } from '../../../database/database.ts';
import type { Author, Report } from '../../../core/author.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { ProfileServices } from './profile-services.ts';
import { deleteCredentials, lockCredentials } from '../../sign-in/email/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { mailChange } from './announce-change.ts';
import { endSessions } from './end-sessions.ts';
import { requireProof, verifyProof, type Applicant, type ProofServices } from './identity-proof.ts';
import { listKnowingTenants } from './proof-queries.ts';
import { deleteAuthMethods, lockProfiles, redactProfile } from './queries.ts';
import { removeAvatar } from './upload-avatar.ts';

/** Who deletes a player, and by a token of which tenant; null for the player portal and the platform admin. */
export interface Deletion extends Author {
  action: 'player.self_deleted' | 'player.admin_deleted';
  tenantId: string | null;
  /** The player themself, who must have shown who they are. */
  applicant?: Applicant;
}

export type DeletionServices = ProfileServices & ProofServices & MailServices;

/**
 * Deletes a player (spec: player profile, rule 5): clears and closes the profile, removes every way to sign in, and ends every
 * session, in one transaction. Profiles that were merged into this one hold nothing any more; one that was merged into
 * another is not found here, and the other is left alone. Deleting again changes nothing. False where there is no such profile.
 * Throws identity_proof_required.
 */
export async function deletePlayer(
  services: DeletionServices,
  playerId: string,
  { applicant, ...deletion }: Deletion,
  report: Report,
): Promise<boolean> {
  const { database, avatars } = services;
  const proof = applicant && (await verifyProof(services, applicant));
  const { profile, removed, tenants } = await database
    .forPlayer(playerId)
    .transaction(async (transaction) => {
      await lockCredentials(transaction, [playerId]);
      await proof?.use?.(transaction);
      const before = (await lockProfiles(transaction, [playerId])).get(playerId);
      if (!before?.isActive) return { profile: before, removed: 0, tenants: [] };
      if (applicant) await requireProof(transaction, services, applicant, { proof });
      await mailChange(services, transaction, { playerId, tenantId: deletion.tenantId }, 'deleted');
      return {
        profile: before,
        removed: await redactPlayer(transaction, playerId),
        tenants: applicant ? await listKnowingTenants(transaction, playerId) : [],
      };
    });
  if (!profile || profile.mergedIntoId !== null) return false;
  if (!profile.isActive) return true;

  await removeAvatar(avatars, profile.avatarName, report);
  const details = { removedAuthMethods: removed };
  await recordDeletion(database, playerId, deletion, tenants, details).catch((error: unknown) =>
    report(error, `the audit trail lacks ${deletion.action} of ${playerId}`),
  );
  return true;
}

/**
 * Returns how many sign-in methods there were. The profile is locked, so a sign-in has come before, and its session ends here, or
 * finds its method gone, and makes somebody new.
 */
async function redactPlayer(db: Querier, playerId: string): Promise<number> {
  const removed = await deleteAuthMethods(db, playerId);
  await deleteCredentials(db, playerId);
  await redactProfile(db, playerId);
  await endSessions(db, playerId);
  return removed;
}

/**
 * A player's own deletion is in the trail of every tenant that knew them; what came through no tenant is a record of none too, which
 * the platform admin reads. Where the request came from is for the tenant alone that it came through.
 */
async function recordDeletion(
  database: Database,
  playerId: string,
  { origin, ...deletion }: Omit<Deletion, 'applicant'>,
  tenants: string[],
  details: Record<string, unknown>,
): Promise<void> {
  const places = deletion.tenantId === null ? [null, ...tenants] : tenants;
  for (const tenantId of places) {
    const scope = tenantId === null ? database : database.forTenant(tenantId);
    const from = tenantId === deletion.tenantId && origin ? { origin } : {};
    await auditTrail(scope, [{ ...deletion, ...from, tenantId, targetId: playerId, details }]);
  }
}
