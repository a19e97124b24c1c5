import type { Querier, Scope } from '../../../database/database.ts';
import type { PlayerCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { revokedSessionError } from '../../sign-in/sessions/index.ts';
import { isSessionRevoked, lockProfiles, type LockedProfile, type AccessTokenUse } from './queries.ts';

/**
 * Throws invalid_bearer if the profile was merged after the token was verified. Throws profile_deleted, because access tokens stay
 * valid after a deletion and must not write to the cleared profile.
 */
export function requireActive(profile: LockedProfile | undefined): LockedProfile {
  if (!profile || profile.mergedIntoId !== null) throw new ProblemError('invalid_bearer');
  if (!profile.isActive) throw new ProblemError('profile_deleted');
  return profile;
}

/** Locks the caller's profile before a change. Throws the errors of {@link requireActive} and {@link requireUnrevokedSession}. */
export async function lockForChange(
  db: Querier,
  caller: PlayerCaller,
  use: AccessTokenUse = 'ownData',
): Promise<LockedProfile> {
  const { playerId } = caller;
  const profile = requireActive((await lockProfiles(db, [playerId])).get(playerId));
  await requireUnrevokedSession(db, caller, use);
  return profile;
}

/**
 * Refuses a token whose session was revoked for a security reason, such as a leaked token, a blocked device or a proven address.
 * Otherwise a thief could use the rest of the token's lifetime to read what the owner does, to change the profile or the sign-in
 * methods, or to export or delete the profile. After a plain logout or a deletion, the token stays valid. Throws invalid_bearer.
 */
export async function requireUnrevokedSession(
  db: Querier,
  caller: PlayerCaller,
  use: AccessTokenUse = 'ownData',
): Promise<void> {
  if (await isSessionRevoked(db, caller, use)) throw revokedSessionError();
}

/** Runs a read of the caller's data together with {@link requireUnrevokedSession}, so that the check costs no round trip. */
export async function readUnlessRevoked<Result>(
  player: Scope,
  caller: PlayerCaller,
  read: (transaction: Querier) => Promise<Result>,
): Promise<Result> {
  return player.transaction(async (transaction) => {
    const [result] = await Promise.all([read(transaction), requireUnrevokedSession(transaction, caller)]);
    return result;
  });
}
