import type { Querier } from '../../database/database.ts';
import type { Report } from '../../http/request-context.ts';
import { Problem } from '../../shared/problem.ts';
import { endPlayerSessions } from '../login-sessions/index.ts';
import { hasSecret, type Identity } from '../player-login/index.ts';
import type { AvatarStore } from './avatars/avatar-store.ts';
import { lockCredentials, moveCredentials } from '../email-login/index.ts';
import { endSessions } from './end-sessions.ts';
import { MOST_DEVICES } from '../devices/index.ts';
import {
  absorbProfile,
  countBlockedDevices,
  joinDevices,
  joinTenantAccess,
  moveAuthMethods,
  moveBans,
  moveDevices,
} from './merge-queries.ts';
import { MOST_MERGED, MOST_METHODS } from './limits.ts';
import { lockForNewSignIn, refuseRevokedSession, requireOwn } from './own-profile.ts';
import { findIdentity, lockProfiles, type LockedProfile } from './queries.ts';
import { assembleProfile, type FullProfile } from './read-profile.ts';
import { removeAvatar } from './upload-avatar.ts';
import {
  verifyCredential,
  type Claimant,
  type Credential,
  type CredentialServices,
} from './verify-credential.ts';

export interface MergeServices extends CredentialServices {
  avatars: AvatarStore;
}

/**
 * Merges another profile of the same person into the caller's: its sign-in methods, tenant access, devices and bans move, its
 * sessions end, and it is closed. All or nothing. The credential must be one that signs in to the other profile. Throws
 * merge_refused, credential_refused, profile_deleted and provider_unavailable.
 */
export async function mergeProfiles(
  services: MergeServices,
  caller: Claimant,
  { sourceId, credential }: { sourceId: string; credential: Credential },
  report: Report,
): Promise<FullProfile> {
  const { playerId } = caller;
  if (sourceId === playerId) throw new Problem('merge_refused', 'A profile cannot be merged into itself.');
  const own = services.database.forPlayer(playerId);
  await own.transaction((transaction) => lockForNewSignIn(transaction, caller));
  const { identity } = await verifyCredential(services, caller, credential);

  const { profile, unused } = await own.transaction((transaction) =>
    merge(transaction, caller, sourceId, identity),
  );
  await removeAvatar(services.avatars, unused, report);
  return profile;
}

/** In the target's scope, which holds the rows of the source from the moment on at which it is absorbed. */
async function merge(
  db: Querier,
  caller: Claimant,
  sourceId: string,
  identity: Identity,
): Promise<{ profile: FullProfile; unused: string | null }> {
  const targetId = caller.playerId;
  await lockCredentials(db, [targetId, sourceId]);
  const locked = await lockProfiles(db, [targetId, sourceId]);
  const target = requireOwn(locked.get(targetId));
  await refuseRevokedSession(db, caller);
  // Sign-in methods leave a profile that is deleted or merged, so no credential fits one.
  const known = await findIdentity(db, identity);
  const source = locked.get(sourceId);
  if (!source || known?.playerId !== sourceId || !hasSecret(identity, known.secretHash))
    throw new Problem(
      'merge_refused',
      'The credential does not sign in to the source profile. Send a credential of that profile.',
    );

  await absorbProfile(db, sourceId, targetId, inherited(target, source));
  await moveAuthMethods(db, sourceId, targetId);
  await moveCredentials(db, sourceId, targetId);
  await joinTenantAccess(db, sourceId, targetId);
  const joined = await joinDevices(db, sourceId, targetId);
  await moveDevices(db, sourceId, targetId);
  // Blocked devices are never deleted, so merging must not collect them without end.
  if ((await countBlockedDevices(db, targetId)) > MOST_DEVICES)
    throw new Problem(
      'merge_refused',
      `The two profiles have more than ${MOST_DEVICES} blocked devices together. Unblock some of them first.`,
    );
  await moveBans(db, sourceId, targetId);
  await endSessions(db, sourceId);
  for (const { id, isBlocked } of joined)
    if (isBlocked) await endPlayerSessions(db, targetId, { deviceId: id }, { reason: 'device_blocked' });
  const unused = target.avatarUrl === null ? null : source.avatarName;
  const profile = await assembleProfile(db, targetId);
  if (profile.authMethods.length > MOST_METHODS || profile.mergedProfileIds.length > MOST_MERGED)
    throw new Problem(
      'merge_refused',
      `A profile may have at most ${MOST_METHODS} sign-in methods, and ${MOST_MERGED} merged profiles.`,
    );
  return { profile, unused };
}

/** What the target takes over where it has nothing of its own. The source keeps nothing personal: see deletePlayer. */
function inherited(target: LockedProfile, source: LockedProfile) {
  const picture = target.avatarUrl === null ? source : target;
  return {
    displayName: target.displayName ?? source.displayName,
    email: target.email ?? source.email,
    avatarUrl: picture.avatarUrl,
    avatarName: picture.avatarName,
  };
}
