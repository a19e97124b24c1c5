import type { Database, Querier } from '../../../../database/database.ts';
import type { Origin } from '../../../../core/author.ts';
import type { PlayerCaller } from '../../../../core/callers.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { verifyPortalCode } from '../../../sign-in/email/index.ts';
import type { Identity } from '../../../sign-in/login/index.ts';
import { verifyStoreACallback } from '../../../sign-in/portal/index.ts';
import { verifyProofMessage } from '../../../sign-in/wallet/index.ts';
import { lockForChange, requireUnrevokedSession } from '../lock-profile.ts';
import { isActivePlayer } from '../queries.ts';
import { findMethodOfIdentity, findMethodOfPortalSession, listWorkspacesOfPlayer } from './proof-queries.ts';
import {
  mapRefusal,
  type CallerWithAddress,
  type Credential,
  type CredentialServices,
} from './verify-credential.ts';

// A workspace knows a profile if the player has signed in to one of its games. The reasons for the rules are in
// docs/decisions/0035-proofs-of-identity.md.

export interface ProofServices extends CredentialServices {
  config: { profileProof: boolean };
}

/** The caller of a profile change, with the origin and the proof of identity of the request. */
export type CallerWithProof = CallerWithAddress & { origin: Origin; proof?: Credential | undefined };

/** A proof of identity that was verified. */
export interface VerifiedProof {
  identity: Identity;
  /** Marks a single-use proof as used. Throws if it was used before. Call it before the transaction locks the profile. */
  use?(transaction: Querier): Promise<void>;
}

const HOW =
  'Use a portal token, or send a proof of a sign-in method of the profile: a code of POST /api/player-portal-auth/email/otc, a ' +
  'signed message of POST /api/player-portal-auth/wallet/challenge, or the OpenID callback URL of StoreA after ' +
  'POST /api/player-portal-auth/storea/start.';

/** Creates the error for a change that lacks a valid proof of identity. */
export function proofRequiredError(reason: string): ProblemError {
  return new ProblemError('identity_proof_required', `${reason} ${HOW}`);
}

/**
 * Verifies a proof of identity. Only credentials of the player portal are accepted. A studio sees each ticket, code and signature
 * that its own game client receives, so those prove nothing to other studios. Returns undefined if the request has no proof. Throws
 * identity_proof_required and provider_unavailable.
 */
export async function verifyProof(
  services: ProofServices,
  { proof, ipAddress }: CallerWithProof,
): Promise<VerifiedProof | undefined> {
  if (!proof) return undefined;
  const verified = await mapRefusal(proofRequiredError, () => verifyWithProvider(services, ipAddress, proof));
  const { identity, use } = verified;
  return {
    identity,
    ...(use && { use: (transaction) => mapRefusal(proofRequiredError, () => use(transaction)) }),
  };
}

async function verifyWithProvider(
  services: ProofServices,
  ipAddress: string | null,
  proof: Credential,
): Promise<VerifiedProof> {
  switch (proof.provider) {
    case 'StoreA':
      return { identity: await verifyStoreACallback(services, proof.token) };
    case 'EvmWallet':
      return { identity: await verifyProofMessage(services, ipAddress, proof) };
    case 'EmailOneTimeCode':
      return verifyPortalCode(services, { ...proof, ipAddress });
    default:
      throw proofRequiredError(`A credential of ${proof.provider} is not a proof of identity.`);
  }
}

/**
 * Refuses early what {@link lockForProvenChange} would refuse later. Call it before a provider consumes a single-use credential. If the
 * request has a proof, it is not checked here.
 */
export async function refuseEarly(services: ProofServices, caller: CallerWithProof): Promise<void> {
  await services.database.forPlayer(caller.playerId).transaction(async (transaction) => {
    await lockForChange(transaction, caller, 'signInMethods');
    if (!caller.proof) await requireProvenWorkspace(transaction, services, caller);
  });
}

/**
 * Uses the proof up, locks the profile, and checks that the caller may change how the player signs in. Returns the workspace of
 * {@link requireProvenWorkspace}. Throws identity_proof_required, profile_deleted, and invalid_bearer for a token of a revoked session.
 */
export async function lockForProvenChange(
  transaction: Querier,
  services: Pick<ProofServices, 'config'>,
  caller: CallerWithAddress,
  proven: { proof: VerifiedProof | undefined; removedMethodId?: string },
): Promise<string | null> {
  await proven.proof?.use?.(transaction);
  await lockForChange(transaction, caller, 'signInMethods');
  return requireProvenWorkspace(transaction, services, caller, proven);
}

/**
 * Checks that the caller may change the profile. If one workspace knows the profile, its access tokens suffice. If several do, the
 * caller needs a portal token or a proof, by a sign-in method that is valid in all workspaces. The caller has locked the profile.
 * Every sign-in takes that lock too, so a concurrent first sign-in in another workspace is either visible here or comes later.
 *
 * Returns the workspace for which the caller has proven to be the player; null means all workspaces. A method that is linked now is
 * restricted to it. `removedMethodId` is the sign-in method to remove: its own proof always suffices. A deleted profile has no method,
 * so a profile that several workspaces know cannot be exported after a deletion
 * (docs/decisions/0019-tokens-after-merge-and-deletion.md). Throws identity_proof_required.
 */
export async function requireProvenWorkspace(
  db: Querier,
  { config }: Pick<ProofServices, 'config'>,
  { playerId, tenantId, sessionId }: CallerWithAddress,
  { proof, removedMethodId }: { proof?: VerifiedProof | undefined; removedMethodId?: string } = {},
): Promise<string | null> {
  if (!config.profileProof) return null;
  const method = proof
    ? await findMethodOfIdentity(db, playerId, proof.identity)
    : tenantId === null
      ? await findMethodOfPortalSession(db, playerId, sessionId)
      : undefined;
  if (proof && !method)
    throw proofRequiredError('The proof does not match any sign-in method of this profile.');
  if (method && (method.linkedInWorkspace === null || method.methodId === removedMethodId))
    return method.linkedInWorkspace;

  return requireSingleWorkspace(db, playerId, { tenantId, linkedInWorkspace: method?.linkedInWorkspace });
}

/**
 * Whether a player's token may use the profile. A portal session whose sign-in method was linked without a proof, or has been removed since,
 * may not use the profile once games of another workspace know it. After a deletion, tokens still read the rest of the profile. Throws
 * invalid_bearer for a portal session that was revoked with its method.
 */
export async function mayUseProfile(
  { database, config }: { database: Database; config: { profileProof: boolean } },
  caller: PlayerCaller,
): Promise<boolean> {
  const { playerId, tenantId, sessionId } = caller;
  if (tenantId !== null || !config.profileProof) return true;
  const player = database.forPlayer(playerId);
  const method = await findMethodOfPortalSession(player, playerId, sessionId);
  if (method?.linkedInWorkspace === null || !(await isActivePlayer(player, playerId))) return true;
  // Otherwise the error would ask the caller to remove a method that no longer exists.
  if (!method) await requireUnrevokedSession(player, caller);
  const { isShared } = await findOwnWorkspace(player, playerId, { tenantId, ...method });
  return !isShared;
}

/**
 * Returns the caller's workspace: the one in which the method of the proof was linked, otherwise the one of the token. Throws
 * identity_proof_required, with the reason, if another workspace knows the profile.
 */
export async function requireSingleWorkspace(
  db: Querier,
  playerId: string,
  caller: CallerPlace,
  reason = 'Games of several workspaces know this profile.',
): Promise<string | null> {
  const { own, isShared } = await findOwnWorkspace(db, playerId, caller);
  if (isShared) throw proofRequiredError(reason);
  return own;
}

/** The tenant of a caller's token, and the workspace in which the method of the proof or of the portal session was linked. */
interface CallerPlace {
  tenantId: string | null;
  linkedInWorkspace?: string | null | undefined;
}

/** The caller's workspace, and whether games of another workspace know the profile. */
async function findOwnWorkspace(
  db: Querier,
  playerId: string,
  { tenantId, linkedInWorkspace }: CallerPlace,
): Promise<{ own: string | null; isShared: boolean }> {
  const workspaces = await listWorkspacesOfPlayer(db, playerId, tenantId);
  const own =
    linkedInWorkspace ??
    workspaces.find(({ isCallers }) => isCallers)?.workspaceId ??
    workspaces[0]?.workspaceId ??
    null;
  return {
    own,
    isShared: workspaces.some(({ workspaceId, knowsPlayer }) => knowsPlayer && workspaceId !== own),
  };
}
