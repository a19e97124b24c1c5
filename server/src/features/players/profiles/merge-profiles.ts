import type { Querier } from '../../../database/database.ts';
import type { Report } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { hasSecret, type Identity } from '../../sign-in/login/index.ts';
import type { AvatarStore } from './avatars/avatar-store.ts';
import { lockCredentials, moveCredentials } from '../../sign-in/email/index.ts';
import { announceChange, type ChangeAuthor } from './announce-change.ts';
import { endSessions } from './end-sessions.ts';
import { MOST_DEVICES } from '../devices/index.ts';
import {
  proofRequired,
  requireOneWorkspace,
  requireProof,
  verifyProof,
  type Applicant,
  type Proof,
  type ProofServices,
} from './identity-proof.ts';
import {
  absorbProfile,
  countBlockedDevices,
  joinDevices,
  joinTenantAccess,
  moveAuthMethods,
  moveBanFingerprints,
  moveBans,
  moveDevices,
} from './merge-queries.ts';
import { MOST_MERGED, MOST_METHODS } from './limits.ts';
import { lockForNewSignIn, refuseRevokedSession, requireOwn } from './own-profile.ts';
import { findIdentity, lockProfiles, type LockedProfile } from './queries.ts';
import { findMethodOfIdentity } from './proof-queries.ts';
import { assembleProfile, type FullProfile } from './read-profile.ts';
import { removeAvatar } from './upload-avatar.ts';
import { verifyCredential, type Credential } from './verify-credential.ts';

/** The profile that is merged, and what shows that it is the caller's too. */
interface Source {
  sourceId: string;
  credential: Credential;
  sourceProof?: Credential | undefined;
}

export interface MergeServices extends ProofServices, MailServices {
  avatars: AvatarStore;
}

/**
 * Merges another profile of the same person into the caller's: its sign-in methods, tenant access, devices and bans move, its
 * sessions end, and it is closed. All or nothing. The credential must be one that signs in to the other profile; if games of other
 * workspaces know that profile, it takes a proof of it too. Throws merge_refused, credential_refused, identity_proof_required,
 * profile_deleted and provider_unavailable.
 */
export async function mergeProfiles(
  services: MergeServices,
  caller: Applicant & ChangeAuthor,
  { sourceId, credential, sourceProof }: Source,
  report: Report,
): Promise<FullProfile> {
  const { playerId } = caller;
  if (sourceId === playerId)
    throw new ProblemError('merge_refused', 'A profile cannot be merged into itself.');
  const own = services.database.forPlayer(playerId);
  await own.transaction(async (transaction) => {
    await lockForNewSignIn(transaction, caller);
    if (!caller.proof) await requireProof(transaction, services, caller);
  });
  const proof = await verifyProof(services, caller);
  const ofSource = await verifyProof(services, { ...caller, proof: sourceProof });
  const { identity } = await verifyCredential(services, caller, credential);

  const { profile, unused } = await own.transaction((transaction) =>
    merge(services, transaction, caller, { sourceId, identity, proof, ofSource }),
  );
  await removeAvatar(services.avatars, unused, report);
  return profile;
}

/** In the target's scope, which holds the rows of the source from the moment on at which it is absorbed. */
async function merge(
  services: MergeServices,
  db: Querier,
  caller: Applicant & ChangeAuthor,
  {
    sourceId,
    identity,
    proof,
    ofSource,
  }: { sourceId: string; identity: Identity; proof: Proof | undefined; ofSource: Proof | undefined },
): Promise<{ profile: FullProfile; unused: string | null }> {
  const targetId = caller.playerId;
  await lockCredentials(db, [targetId, sourceId]);
  await proof?.use?.(db);
  const locked = await lockProfiles(db, [targetId, sourceId]);
  const target = requireOwn(locked.get(targetId));
  await refuseRevokedSession(db, caller);
  const targetGoodIn = await requireProof(db, services, caller, { proof });
  // Sign-in methods leave a profile that is deleted or merged, so no credential fits one.
  const known = await findIdentity(db, identity);
  const source = locked.get(sourceId);
  if (!source || known?.playerId !== sourceId || !hasSecret(identity, known.secretHash))
    throw new ProblemError(
      'merge_refused',
      'The credential does not sign in to the source profile. Send a credential of that profile.',
    );

  await absorbProfile(db, sourceId, targetId, inherited(target, source));
  // From here on the source's rows are in the scope.
  const shown = ofSource?.identity ?? (caller.tenantId === null ? identity : undefined);
  const sourceGoodIn = await goodIn(services, db, caller, { sourceId, shown });
  await moveAuthMethods(db, sourceId, targetId, sourceGoodIn ?? targetGoodIn);
  await moveCredentials(db, sourceId, targetId);
  // A code of the source is in the scope as soon as its address is.
  await ofSource?.use?.(db);
  await joinTenantAccess(db, sourceId, targetId);
  const joined = await joinDevices(db, sourceId, targetId);
  await moveDevices(db, sourceId, targetId);
  // Blocked devices are never deleted, so merging must not collect them without end.
  if ((await countBlockedDevices(db, targetId)) > MOST_DEVICES)
    throw new ProblemError(
      'merge_refused',
      `The two profiles have more than ${MOST_DEVICES} blocked devices together. Unblock some of them first.`,
    );
  await moveBans(db, sourceId, targetId);
  await moveBanFingerprints(db, sourceId, targetId);
  await endSessions(db, sourceId);
  for (const { id, isBlocked } of joined)
    if (isBlocked) await endPlayerSessions(db, targetId, { deviceId: id }, { reason: 'device_blocked' });
  await announceChange(services, db, caller, 'merged');
  const unused = target.avatarUrl === null ? null : source.avatarName;
  const profile = await assembleProfile(db, targetId);
  if (profile.authMethods.length > MOST_METHODS || profile.mergedProfileIds.length > MOST_MERGED)
    throw new ProblemError(
      'merge_refused',
      `A profile may have at most ${MOST_METHODS} sign-in methods, and ${MOST_MERGED} merged profiles.`,
    );
  return { profile, unused };
}

/**
 * The workspace for which the author of a merge speaks for the source; null if for everywhere. Any token of the one workspace that
 * knows the source will do, or an identity by which the player portal would sign in to it. Throws identity_proof_required.
 */
async function goodIn(
  { config }: MergeServices,
  db: Querier,
  { tenantId }: Applicant,
  { sourceId, shown }: { sourceId: string; shown: Identity | undefined },
): Promise<string | null> {
  if (!config.profileProof) return null;
  const method = shown && (await findMethodOfIdentity(db, sourceId, shown));
  if (shown && !method) throw proofRequired('sourceProof is of no sign-in method of the source profile.');
  if (method?.linkedIn === null) return null;
  return requireOneWorkspace(db, sourceId, { tenantId, linkedIn: method?.linkedIn });
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
