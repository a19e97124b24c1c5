import type { Database, Querier } from '../../../database/database.ts';
import type { PlayerCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { isOwnProfile, isSessionRevoked, lockProfiles, type LockedProfile } from './queries.ts';

/** Answers whether the tokens of a player still speak for a profile: not once it was merged into another. */
export function profileCheck(database: Database): (playerId: string) => Promise<boolean> {
  return (playerId) => isOwnProfile(database, playerId);
}

/**
 * Locks the profile that a request is to change. Throws invalid_bearer where it was merged into another since the token was
 * verified, and profile_deleted: what a deletion has cleared stays so, although the token is good until it expires.
 */
export async function lockOwnProfile(db: Querier, playerId: string): Promise<LockedProfile> {
  return requireOwn((await lockProfiles(db, [playerId])).get(playerId));
}

/** Throws as {@link lockOwnProfile} does. */
export function requireOwn(profile: LockedProfile | undefined): LockedProfile {
  if (!profile || profile.mergedIntoId !== null) throw new ProblemError('invalid_bearer');
  if (!profile.isActive) throw new ProblemError('profile_deleted');
  return profile;
}

/** As {@link lockOwnProfile}, before something changes how the player signs in: see {@link refuseRevokedSession}. */
export async function lockForNewSignIn(db: Querier, caller: PlayerCaller): Promise<LockedProfile> {
  const profile = await lockOwnProfile(db, caller.playerId);
  await refuseRevokedSession(db, caller);
  return profile;
}

/**
 * Refuses a token whose session lost its refreshing for a reason of security (a token that leaked, a blocked device, a ban): else
 * a thief could use the token's last hours to attach a sign-in method of their own, or to detach the owner's. A plain logout
 * forbids nothing. Throws invalid_bearer.
 */
export async function refuseRevokedSession(db: Querier, caller: PlayerCaller): Promise<void> {
  if (await isSessionRevoked(db, caller))
    throw new ProblemError('invalid_bearer', 'The session of this token was revoked: sign in again.');
}
