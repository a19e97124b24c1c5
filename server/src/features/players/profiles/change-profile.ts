import { invalidField } from '../../../core/problem.ts';
import type { Report } from '../../../core/author.ts';
import type { AvatarStore } from './avatars/avatar-store.ts';
import { lockOwnProfile } from './own-profile.ts';
import { updateProfile } from './queries.ts';
import type { ProfileServices } from './profile-services.ts';
import { assembleProfile, type FullProfile } from './read-profile.ts';
import { removeAvatar } from './upload-avatar.ts';

/** What is undefined stays; null clears. */
export interface ProfileChanges {
  displayName?: string | null;
  avatarUrl?: string | null;
  profileVisibility?: string;
}

/** Changes a player's own profile. Throws invalid_request for an avatarUrl that is neither https nor ours, and profile_deleted. */
export async function changeProfile(
  { database, avatars }: ProfileServices,
  playerId: string,
  changes: ProfileChanges,
  report: Report,
): Promise<FullProfile> {
  if (typeof changes.avatarUrl === 'string' && !isShowable(changes.avatarUrl, avatars))
    throw invalidField(
      'avatarUrl',
      'must be an https address',
      'avatarUrl must be an https address, or one that an upload has given.',
    );

  const { profile, unused } = await database.forPlayer(playerId).transaction(async (transaction) => {
    const before = await lockOwnProfile(transaction, playerId);
    const { displayName = before.displayName, avatarUrl = before.avatarUrl } = changes;
    const { profileVisibility = before.profileVisibility } = changes;
    // The picture that we keep is of no use once the profile shows another.
    const avatarName = avatarUrl === before.avatarUrl ? before.avatarName : null;
    await updateProfile(transaction, playerId, { displayName, avatarUrl, avatarName, profileVisibility });
    const profile = await assembleProfile(transaction, playerId);
    return { profile, unused: avatarName === before.avatarName ? null : before.avatarName };
  });
  await removeAvatar(avatars, unused, report);
  return profile;
}

/** An address of ours may be plain http, where the server is reached so. */
function isShowable(text: string, avatars: AvatarStore): boolean {
  if (avatars.isOurs(text)) return true;
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}
