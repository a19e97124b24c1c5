import type { PlayerCaller } from '../../../core/callers.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { invalidField } from '../../../core/problem.ts';
import type { ReportError } from '../../../core/report-error.ts';
import { removeAvatar, type AvatarStore } from './avatars/avatar-store.ts';
import type { AvatarServices } from './avatars/upload-avatar.ts';
import { nameBudgetKey, type ChangeBudgets } from './change-budgets.ts';
import { lockForChange } from './lock-profile.ts';
import { updateProfile } from './queries.ts';
import { assembleProfile, type FullProfile } from './read-profile.ts';

/** An undefined field does not change. Null clears a field. */
export interface ProfileChanges {
  displayName?: string | null;
  avatarUrl?: string | null;
  profileVisibility?: string;
}

/**
 * Changes a player's own profile. Throws profile_deleted, too_many_attempts, invalid_bearer for a token of a revoked session, and
 * invalid_request for a displayName or avatarUrl that is not allowed.
 */
export async function changeProfile(
  { database, avatars, profileChanges, smallProfileChanges }: AvatarServices & ChangeBudgets,
  caller: PlayerCaller,
  changes: ProfileChanges,
  report: ReportError,
): Promise<FullProfile> {
  if (typeof changes.displayName === 'string') requireDisplayName(changes.displayName);
  if (typeof changes.avatarUrl === 'string' && !isAllowedAvatarUrl(changes.avatarUrl, avatars))
    throw invalidField(
      'avatarUrl',
      'must be an https URL',
      'avatarUrl must be an https URL, or the URL of an uploaded avatar.',
    );

  const { playerId } = caller;
  const { profile, unusedAvatar } = await database.forPlayer(playerId).transaction(async (transaction) => {
    const before = await lockForChange(transaction, caller);
    const { displayName = before.displayName, avatarUrl = before.avatarUrl } = changes;
    const { profileVisibility = before.profileVisibility } = changes;
    if (displayName !== before.displayName) await profileChanges.spend(nameBudgetKey(playerId));
    const isShown = avatarUrl !== null && avatarUrl !== before.avatarUrl;
    const isVisible = profileVisibility !== 'private' && profileVisibility !== before.profileVisibility;
    if (isShown || isVisible) await smallProfileChanges.spend(playerId);
    // The stored image becomes unused when the URL changes.
    const avatarName = avatarUrl === before.avatarUrl ? before.avatarName : null;
    await updateProfile(transaction, playerId, { displayName, avatarUrl, avatarName, profileVisibility });
    const profile = await assembleProfile(transaction, playerId);
    return { profile, unusedAvatar: avatarName === before.avatarName ? null : before.avatarName };
  });
  await removeAvatar(avatars, unusedAvatar, report);
  return profile;
}

/** The URL of an uploaded avatar can be plain http if the server's public URL is. All others must be https. */
function isAllowedAvatarUrl(text: string, avatars: AvatarStore): boolean {
  if (avatars.isOwnUrl(text)) return true;
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}
