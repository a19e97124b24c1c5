import { ProblemError } from '../../../../core/problem.ts';
import type { ReportError } from '../../../../core/report-error.ts';
import { isRolledBack } from '../../../../database/errors.ts';
import type { Database } from '../../../../database/database.ts';
import type { CallerWithAddress } from '../auth-methods/verify-credential.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { lockForChange } from '../lock-profile.ts';
import { updateProfile } from '../queries.ts';
import { removeAvatar, type AvatarStore } from './avatar-store.ts';
import { renderAvatar } from './render-avatar.ts';

/** The services of changes that can leave an image unused. */
export interface AvatarServices {
  database: Database;
  avatars: AvatarStore;
}

/**
 * Replaces the player's avatar. Throws too_many_attempts, avatar_type, avatar_unreadable, busy, avatar_storage_unavailable,
 * profile_deleted, and invalid_bearer for a token of a revoked session.
 */
export async function uploadAvatar(
  { database, avatars, smallProfileChanges }: AvatarServices & Pick<ChangeBudgets, 'smallProfileChanges'>,
  caller: CallerWithAddress,
  upload: Buffer,
  report: ReportError,
): Promise<{ avatarUrl: string }> {
  const player = database.forPlayer(caller.playerId);
  // Check before the image is decoded, because a revoked token must not use up the budget of the owner. Check again below, because an image
  // takes time.
  await player.transaction((transaction) => lockForChange(transaction, caller));
  await smallProfileChanges.spend(caller.playerId);
  const avatarName = await avatars.add(await renderAvatar(upload, caller.ipAddress));
  const avatarUrl = avatars.urlOf(avatarName);
  let previous: string | null;
  try {
    previous = await player.transaction(async (transaction) => {
      const before = await lockForChange(transaction, caller);
      await updateProfile(transaction, caller.playerId, { ...before, avatarUrl, avatarName });
      return before.avatarName;
    });
  } catch (error) {
    // If the connection was lost during the commit, the profile may use the new image.
    if (error instanceof ProblemError || isRolledBack(error)) await removeAvatar(avatars, avatarName, report);
    throw error;
  }
  await removeAvatar(avatars, previous, report);
  return { avatarUrl };
}
