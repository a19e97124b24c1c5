import type { Profile, TenantProfile } from './queries.ts';

/** Whether the holder of an API key of the tenant may know of the player at all. */
export function isVisibleToOutsiders({ profileVisibility, isHidden }: TenantProfile): boolean {
  return profileVisibility !== 'private' && !isHidden;
}

/** What everybody may see of a player who is not private. */
export function summaryOf({ id, displayName, avatarUrl, profileVisibility }: Profile): Profile {
  return { id, displayName, avatarUrl, profileVisibility };
}
