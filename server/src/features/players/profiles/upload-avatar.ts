import type { Report } from '../../../core/author.ts';
import type { AvatarStore } from './avatars/avatar-store.ts';
import { renderAvatar } from './avatars/render-avatar.ts';
import type { ProfileServices } from './profile-services.ts';
import { lockOwnProfile } from './own-profile.ts';
import { updateProfile } from './queries.ts';

/**
 * Makes a picture the player's avatar, in place of the one before. Throws avatar_type, avatar_unreadable, busy,
 * avatar_storage_unavailable and profile_deleted.
 */
export async function uploadAvatar(
  { database, avatars }: ProfileServices,
  playerId: string,
  upload: Buffer,
  report: Report,
): Promise<{ avatarUrl: string }> {
  const avatarName = await avatars.add(await renderAvatar(upload));
  const avatarUrl = avatars.urlOf(avatarName);
  let unused: string | null = avatarName;
  try {
    unused = await database.forPlayer(playerId).transaction(async (transaction) => {
      const before = await lockOwnProfile(transaction, playerId);
      await updateProfile(transaction, playerId, { ...before, avatarUrl, avatarName });
      return before.avatarName;
    });
  } finally {
    await removeAvatar(avatars, unused, report);
  }
  return { avatarUrl };
}

/** Removes a picture that no profile shows any more. Where that fails it stays unseen in the storage, and the log says so. */
export async function removeAvatar(avatars: AvatarStore, name: string | null, report: Report): Promise<void> {
  if (name === null) return;
  await avatars.remove(name).catch((error: unknown) => report(error, `the avatar ${name} was not removed`));
}
