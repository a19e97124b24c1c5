import type { Database, Querier } from '../../database/database.ts';
import type { Author, Report } from '../../http/request-context.ts';
import { auditTrail } from '../audit/index.ts';
import type { ProfileServices } from './change-profile.ts';
import { deleteCredentials, lockCredentials } from '../email-login/index.ts';
import { endSessions } from './end-sessions.ts';
import { deleteAuthMethods, lockProfiles, redactProfile } from './queries.ts';
import { removeAvatar } from './upload-avatar.ts';

/** Who deletes a player, for the audit trail: of the tenant that it happened in, where it did in one. */
export interface Deletion extends Author {
  action: 'player.self_deleted' | 'player.admin_deleted';
  tenantId: string | null;
}

/**
 * Deletes a player (spec: player profile, rule 5): clears and closes the profile, removes every way to sign in, and ends every
 * session, in one transaction. Profiles that were merged into this one hold nothing any more; one that was merged into
 * another is not found here, and the other is left alone. Deleting again changes nothing. False where there is no such profile.
 */
export async function deletePlayer(
  { database, avatars }: ProfileServices,
  playerId: string,
  deletion: Deletion,
  report: Report,
): Promise<boolean> {
  const { profile, removed } = await database.forPlayer(playerId).transaction(async (transaction) => {
    await lockCredentials(transaction, [playerId]);
    const before = (await lockProfiles(transaction, [playerId])).get(playerId);
    return { profile: before, removed: before?.isActive ? await redactPlayer(transaction, playerId) : 0 };
  });
  if (!profile || profile.mergedIntoId !== null) return false;
  if (!profile.isActive) return true;

  await removeAvatar(avatars, profile.avatarName, report);
  await recordDeletion(database, playerId, deletion, { removedAuthMethods: removed }).catch(
    (error: unknown) => report(error, `the audit trail lacks ${deletion.action} of ${playerId}`),
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

async function recordDeletion(
  database: Database,
  playerId: string,
  deletion: Deletion,
  details: Record<string, unknown>,
): Promise<void> {
  const scope = deletion.tenantId === null ? database : database.forTenant(deletion.tenantId);
  await auditTrail(scope, [{ ...deletion, targetId: playerId, details }]);
}
