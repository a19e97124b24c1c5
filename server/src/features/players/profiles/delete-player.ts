import type { Database, Querier } from '../../../database/database.ts';
import type { Author, Report } from '../../../core/author.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { redactThirdPartyTokens } from '../../sign-in/assertions/index.ts';
import { deleteCredentials, lockCredentials } from '../../sign-in/email/index.ts';
import { revokePortalSessions } from '../../sign-in/portal/index.ts';
import { revokePlayerTokens } from '../../sign-in/tokens/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import {
  requireProof,
  verifyProof,
  type CallerWithProof,
  type ProofServices,
} from './auth-methods/identity-proof.ts';
import { listTenantsOfPlayer } from './auth-methods/proof-queries.ts';
import { removeAvatar, type ProfileServices } from './avatars/upload-avatar.ts';
import { mailChange } from './notify-change.ts';
import { deleteAuthMethods, lockProfiles, redactProfile } from './queries.ts';

/** Who deletes a player. `tenantId` is the tenant of the token; null for the player portal and for platform administrators. */
export interface Deletion extends Author {
  action: 'player.self_deleted' | 'player.admin_deleted';
  tenantId: string | null;
  /** Set if players delete themselves. They may need a proof of identity. */
  caller?: CallerWithProof;
}

export type DeletionServices = ProfileServices & ProofServices & MailServices;

/**
 * Deletes a player in one transaction: clears the profile, removes all sign-in methods and ends all sessions. See the section
 * "Deleting" of docs/profiles.md. Idempotent. Returns false if there is no such profile, or if it was merged into another one.
 * The other profile does not change. Throws identity_proof_required.
 */
export async function deletePlayer(
  services: DeletionServices,
  playerId: string,
  { caller, ...deletion }: Deletion,
  report: Report,
): Promise<boolean> {
  const { database, avatars } = services;
  const proof = caller && (await verifyProof(services, caller));
  const { profile, removed, tenantIds } = await database
    .forPlayer(playerId)
    .transaction(async (transaction) => {
      await lockCredentials(transaction, [playerId]);
      await proof?.use?.(transaction);
      const before = (await lockProfiles(transaction, [playerId])).get(playerId);
      if (!before?.isActive) return { profile: before, removed: 0, tenantIds: [] };
      if (caller) await requireProof(transaction, services, caller, { proof });
      await mailChange(services, transaction, { playerId, tenantId: deletion.tenantId }, 'deleted');
      return {
        profile: before,
        removed: await redactPlayer(transaction, playerId),
        tenantIds: caller ? await listTenantsOfPlayer(transaction, playerId) : [],
      };
    });
  if (!profile || profile.mergedIntoId !== null) return false;
  if (!profile.isActive) return true;

  await removeAvatar(avatars, profile.avatarName, report);
  const details = { removedAuthMethods: removed };
  await recordDeletion(database, playerId, deletion, tenantIds, details).catch((error: unknown) =>
    report(error, `could not write ${deletion.action} of ${playerId} to the audit trail`),
  );
  return true;
}

/**
 * Returns the number of removed sign-in methods. The caller has locked the profile. A concurrent sign-in either commits first, and
 * its session ends here, or it finds its sign-in method removed and creates a new player.
 */
async function redactPlayer(db: Querier, playerId: string): Promise<number> {
  const removed = await deleteAuthMethods(db, playerId);
  await deleteCredentials(db, playerId);
  await redactProfile(db, playerId);
  await endAllSessions(db, playerId);
  return removed;
}

/**
 * Revokes all refresh tokens of a player: in tenants, in the portal and at third parties. The caller has locked the profile in an
 * earlier statement. Every sign-in takes that lock first, so no concurrent sign-in can be missed.
 */
export async function endAllSessions(db: Querier, playerId: string): Promise<void> {
  await revokePlayerTokens(db, playerId);
  await revokePortalSessions(db, playerId);
  await redactThirdPartyTokens(db, playerId);
}

/**
 * Writes the deletion to the audit trail of each tenant that the player has signed in to. A deletion without a tenant is also
 * written to the trail of the platform. Only the tenant of the token sees the origin of the request.
 */
async function recordDeletion(
  database: Database,
  playerId: string,
  { origin, ...deletion }: Omit<Deletion, 'caller'>,
  tenantIds: string[],
  details: Record<string, unknown>,
): Promise<void> {
  const scopes = deletion.tenantId === null ? [null, ...tenantIds] : tenantIds;
  for (const tenantId of scopes) {
    const scope = tenantId === null ? database : database.forTenant(tenantId);
    const visibleOrigin = tenantId === deletion.tenantId && origin ? { origin } : {};
    await auditTrail(scope, [{ ...deletion, ...visibleOrigin, tenantId, targetId: playerId, details }]);
  }
}
