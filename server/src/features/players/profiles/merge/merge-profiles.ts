import type { Querier } from '../../../../database/database.ts';
import { ProblemError } from '../../../../core/problem.ts';
import type { ReportError } from '../../../../core/report-error.ts';
import { now } from '../../../../core/timestamps.ts';
import { leaveSharedMatches } from '../../../gameplay/matches/index.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import { lockCredentials, moveCredentials, notifyChange } from '../../../sign-in/email/index.ts';
import { hasSecret, type Identity } from '../../../sign-in/login/index.ts';
import { endPlayerSessions } from '../../../sign-in/sessions/index.ts';
import { MAX_DEVICES } from '../devices/devices.ts';
import {
  proofRequiredError,
  refuseEarly,
  requireProvenWorkspace,
  requireSingleWorkspace,
  verifyProof,
  type CallerWithProof,
  type ProofServices,
  type VerifiedProof,
} from '../auth-methods/identity-proof.ts';
import { findMethodOfIdentity } from '../auth-methods/proof-queries.ts';
import { findIdentity, MAX_AUTH_METHODS } from '../auth-methods/queries.ts';
import { verifyCredential, type Credential } from '../auth-methods/verify-credential.ts';
import { removeAvatar } from '../avatars/avatar-store.ts';
import type { AvatarServices } from '../avatars/upload-avatar.ts';
import { recordMerge } from '../../merged-profiles/index.ts';
import { revokePortalAndThirdPartyTokens } from '../deletion/delete-player.ts';
import { addPlayerChange } from '../publish-change.ts';
import { requireActive, requireUnrevokedSession } from '../lock-profile.ts';
import { lockProfiles, MAX_MERGED_PROFILES, type LockedProfile } from '../queries.ts';
import { assembleProfile, type FullProfile } from '../read-profile.ts';
import {
  absorbProfile,
  countBlockedDevices,
  mergeDevices,
  mergeTenantAccess,
  moveAuthMethods,
  moveBanFingerprints,
  moveBans,
  moveNotes,
  moveDevices,
  type Inherited,
} from './queries.ts';

/** A token that signs in to the source profile, a proof of identity of it, or both. */
export type SourceCredentials =
  | { credential: Extract<Credential, { token: string }>; sourceProof?: Credential | undefined }
  | { credential?: undefined; sourceProof: Credential };

export type MergeServices = AvatarServices & ProofServices & MailServices;

/**
 * Merges another profile of the same person (the source) into the caller's profile (the target), in one transaction. The sign-in
 * methods, tenant access, devices and bans of the source move. The source is closed, and its sessions end. The credential or the proof
 * must sign in to the source. If games of other workspaces know the source, proofs of both profiles are needed. Throws merge_refused,
 * credential_refused, identity_proof_required, profile_deleted and provider_unavailable.
 */
export async function mergeProfiles(
  services: MergeServices,
  caller: CallerWithProof,
  { sourceId, credential, sourceProof }: { sourceId: string } & SourceCredentials,
  report: ReportError,
): Promise<FullProfile> {
  const { playerId } = caller;
  if (sourceId === playerId)
    throw new ProblemError('merge_refused', 'A profile cannot be merged into itself.');
  await refuseEarly(services, caller);
  const proof = await verifyProof(services, caller);
  const verifiedSourceProof = await verifyProof(services, { ...caller, proof: sourceProof });
  const { identity } = credential
    ? await verifyCredential(services, caller, credential)
    : verifiedSourceProof!;

  const { profile, unusedAvatar } = await services.database
    .forPlayer(playerId)
    .transaction((transaction) =>
      merge(services, transaction, caller, { sourceId, identity, proof, sourceProof: verifiedSourceProof }),
    );
  await removeAvatar(services.avatars, unusedAvatar, report);
  return profile;
}

/** What the caller has proven before the transaction of the merge. */
interface Proofs {
  sourceId: string;
  /** The identity that signs in to the source. */
  identity: Identity;
  proof: VerifiedProof | undefined;
  sourceProof: VerifiedProof | undefined;
}

/** Runs in the target's scope. The scope includes the rows of the source as soon as the source is absorbed. */
async function merge(
  services: MergeServices,
  db: Querier,
  caller: CallerWithProof,
  { sourceId, identity, proof, sourceProof }: Proofs,
): Promise<{ profile: FullProfile; unusedAvatar: string | null }> {
  const targetId = caller.playerId;
  await lockCredentials(db, [targetId, sourceId]);
  await proof?.use?.(db);
  const locked = await lockProfiles(db, [targetId, sourceId]);
  const target = requireActive(locked.get(targetId));
  await requireUnrevokedSession(db, caller, 'signInMethods');
  const targetWorkspace = await requireProvenWorkspace(db, services, caller, { proof });
  const source = await requireSignIn(db, locked.get(sourceId), identity);

  const values = inherited(target, source);
  await absorbProfile(db, sourceId, targetId, values);
  // From here on, the source's rows are in the scope.
  const proven = sourceProof?.identity ?? (caller.tenantId === null ? identity : undefined);
  const workspace = await requireProvenSource(services, db, caller, { sourceId, proven, targetWorkspace });
  await moveAuthMethods(db, sourceId, targetId, workspace);
  await moveCredentials(db, sourceId, targetId);
  // The scope includes a code of the source as soon as its address has moved.
  await sourceProof?.use?.(db);
  const { knownIn, bannedIn } = await moveTenantRows(db, sourceId, targetId);
  const blockedDevices = await moveAllDevices(db, sourceId, targetId);

  await endPlayerSessions(db, sourceId, 'everywhere', { reason: 'kicked' });
  await revokePortalAndThirdPartyTokens(db, sourceId);
  for (const tenantId of bannedIn)
    await endPlayerSessions(db, targetId, { tenantId }, { reason: 'account_suspended' });
  for (const deviceId of blockedDevices)
    await endPlayerSessions(db, targetId, { deviceId }, { reason: 'device_blocked' });
  await notifyChange(services, db, caller, 'merged', (tenantId) =>
    knownIn.has(tenantId) ? { sourceProfileId: sourceId } : {},
  );
  await addPlayerChange(services.jobs, db, {
    type: 'player.merged',
    data: { playerId: targetId, mergedPlayerId: sourceId, mergedAt: now() },
  });
  return {
    profile: await readMergedProfile(db, targetId),
    unusedAvatar: values.avatarName === source.avatarName ? null : source.avatarName,
  };
}

/** Returns the source if the identity signs in to it. A deleted or merged profile has no sign-in methods, so no identity does. */
async function requireSignIn(
  db: Querier,
  source: LockedProfile | undefined,
  identity: Identity,
): Promise<LockedProfile> {
  const known = await findIdentity(db, identity);
  if (!source || known?.playerId !== source.id || !hasSecret(identity, known.secretHash))
    throw new ProblemError(
      'merge_refused',
      'The credential does not sign in to the source profile. Send a credential of that profile.',
    );
  return source;
}

/** Moves what tenants have about the source. Returns the tenants that knew it, and those of them in which the target is banned now. */
async function moveTenantRows(
  db: Querier,
  sourceId: string,
  targetId: string,
): Promise<{ knownIn: Set<string>; bannedIn: string[] }> {
  const knownIn = await recordMerge(db, sourceId, targetId);
  const bannedIn = await mergeTenantAccess(db, sourceId, targetId);
  // From now on, the source cannot join a match, and a join of the target waits.
  await leaveSharedMatches(db, [...knownIn], targetId);
  await moveBans(db, sourceId, targetId);
  await moveNotes(db, sourceId, targetId);
  await moveBanFingerprints(db, sourceId, targetId);
  return { knownIn, bannedIn };
}

/** Moves the devices. Returns the blocked devices that both profiles had. */
async function moveAllDevices(db: Querier, sourceId: string, targetId: string): Promise<string[]> {
  const merged = await mergeDevices(db, sourceId, targetId);
  await moveDevices(db, sourceId, targetId);
  // Blocked devices are never deleted, so their number must be limited here.
  if ((await countBlockedDevices(db, targetId)) > MAX_DEVICES)
    throw new ProblemError(
      'merge_refused',
      `The two profiles together have more than ${MAX_DEVICES} blocked devices. Unblock some of them first.`,
    );
  return merged.filter(({ isBlocked }) => isBlocked).map(({ id }) => id);
}

async function readMergedProfile(db: Querier, targetId: string): Promise<FullProfile> {
  const profile = await assembleProfile(db, targetId);
  if (profile.authMethods.length > MAX_AUTH_METHODS || profile.mergedProfileIds.length > MAX_MERGED_PROFILES)
    throw new ProblemError(
      'merge_refused',
      `A profile can have at most ${MAX_AUTH_METHODS} sign-in methods and ${MAX_MERGED_PROFILES} merged profiles.`,
    );
  return profile;
}

/**
 * Checks that the caller may merge the source. An access token suffices if only its workspace knows the source. Otherwise the caller
 * needs an identity that signs in to the source in the player portal, and a proof of the target: without it, the moved methods are
 * restricted to `targetWorkspace`, so the player could not sign in to the other games any more. Returns the workspace to which the moved
 * methods are restricted; null means all workspaces. Throws identity_proof_required.
 */
async function requireProvenSource(
  { config }: MergeServices,
  db: Querier,
  { tenantId }: CallerWithProof,
  {
    sourceId,
    proven,
    targetWorkspace,
  }: { sourceId: string; proven: Identity | undefined; targetWorkspace: string | null },
): Promise<string | null> {
  if (!config.profileProof) return null;
  const method = proven && (await findMethodOfIdentity(db, sourceId, proven));
  if (proven && !method)
    throw proofRequiredError('sourceProof does not match any sign-in method of the source profile.');
  const isProven = method?.linkedInWorkspace === null;
  if (isProven && targetWorkspace === null) return null;
  return requireSingleWorkspace(
    db,
    sourceId,
    { tenantId, linkedInWorkspace: targetWorkspace ?? method?.linkedInWorkspace },
    isProven
      ? 'Games of another workspace know the source profile, so the merge also needs a proof of this profile.'
      : 'Games of another workspace know the source profile, so the merge needs a proof of it, as sourceProof.',
  );
}

/** The values of the target after the merge. Missing ones come from the source, which keeps no personal data. */
function inherited(target: LockedProfile, source: LockedProfile): Inherited {
  const avatarUrl = target.avatarUrl ?? source.avatarUrl;
  // One profile can show the image of the other one by its address. Then only the other one has the name.
  const named = [target, source].find((profile) => profile.avatarUrl === avatarUrl && profile.avatarName);
  return {
    displayName: target.displayName ?? source.displayName,
    email: target.email ?? source.email,
    avatarUrl,
    avatarName: named?.avatarName ?? null,
  };
}
