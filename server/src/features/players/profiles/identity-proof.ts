import type { Querier } from '../../../database/database.ts';
import { ProblemError, type ProblemCode } from '../../../core/problem.ts';
import { verifyPortalCode } from '../../sign-in/email/index.ts';
import type { Identity } from '../../sign-in/login/index.ts';
import { verifyStoreACallback } from '../../sign-in/portal/index.ts';
import { verifyProofMessage } from '../../sign-in/wallet/index.ts';
import { findMethodOfIdentity, findMethodOfPortalSession, listKnownWorkspaces } from './proof-queries.ts';
import type { Claimant, Credential, CredentialServices } from './verify-credential.ts';

export interface ProofServices extends CredentialServices {
  config: { profileProof: boolean };
}

/** Who asks for a change of a profile: whose token it is, and the proof of identity that came with it. */
export type Applicant = Claimant & { proof?: Credential | undefined };

/** A proof that was verified. */
export interface Proof {
  identity: Identity;
  /** Uses the proof up, unless it is used up already: before the transaction that it is for locks the profile. */
  use?(transaction: Querier): Promise<void>;
}

const HOW =
  'Use a token of the player portal, or send a proof of a sign-in method of the profile: a code of ' +
  'POST /api/player-portal-auth/email/otc, a signed message of POST /api/player-portal-auth/wallet/challenge, or the address to ' +
  'which StoreA has sent the player back after POST /api/player-portal-auth/storea/start.';

/** The refusal of a change whose author has not shown who they are. */
export function proofRequired(reason: string): ProblemError {
  return new ProblemError('identity_proof_required', `${reason} ${HOW}`);
}

/**
 * Verifies a proof of identity. Only what signs in to the player portal is one: a studio sees every ticket, code and signature
 * that its own game client gets, so none of those proves anything to other studios (decision 0035). Undefined if there is no proof.
 * Throws identity_proof_required, and provider_unavailable.
 */
export async function verifyProof(
  services: ProofServices,
  { proof, ipAddress }: Applicant,
): Promise<Proof | undefined> {
  if (!proof) return undefined;
  const verified = await refusing(() => ask(services, ipAddress, proof));
  const { identity, use } = verified;
  return { identity, ...(use && { use: (transaction) => refusing(() => use(transaction)) }) };
}

async function ask(services: ProofServices, ipAddress: string | null, proof: Credential): Promise<Proof> {
  switch (proof.provider) {
    case 'StoreA':
      return { identity: await verifyStoreACallback(services, proof.token) };
    case 'EvmWallet':
      return { identity: await verifyProofMessage(services, ipAddress, proof) };
    case 'EmailOneTimeCode':
      return verifyPortalCode(services, proof);
    default:
      throw proofRequired(`${proof.provider} proves nothing to other workspaces.`);
  }
}

const refusals: ProblemCode[] = ['invalid_credentials', 'provider_not_available'];

async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError && refusals.includes(error.code)) throw proofRequired(error.message);
    throw error;
  }
}

/**
 * Whether the author of a change may make it. While one workspace knows the profile, its tokens may. As soon as several do, it
 * takes a token of the portal or a proof, by a method that is good everywhere. The caller has locked the profile, as every sign-in
 * does: so a first sign-in in another workspace comes before, and is seen, or after.
 *
 * Returns the workspace in which a method that is linked now is good; null if everywhere. `removes` is a sign-in method that is
 * to be removed: who proves to own it may always take it back. Throws identity_proof_required.
 */
export async function requireProof(
  db: Querier,
  { config }: Pick<ProofServices, 'config'>,
  { playerId, tenantId, sessionId }: Claimant,
  { proof, removes }: { proof?: Proof | undefined; removes?: string } = {},
): Promise<string | null> {
  if (!config.profileProof) return null;
  const shown = proof
    ? await findMethodOfIdentity(db, playerId, proof.identity)
    : tenantId === null
      ? await findMethodOfPortalSession(db, playerId, sessionId)
      : undefined;
  if (proof && !shown) throw proofRequired('The proof is of no sign-in method of this profile.');
  if (shown && (shown.linkedIn === null || shown.methodId === removes)) return shown.linkedIn;

  return requireOneWorkspace(db, playerId, { tenantId, linkedIn: shown?.linkedIn });
}

/**
 * The one workspace that knows a profile, or speaks for it: that in which the shown method was linked, or that of the token.
 * Throws identity_proof_required if others know the profile.
 */
export async function requireOneWorkspace(
  db: Querier,
  playerId: string,
  { tenantId, linkedIn }: { tenantId: string | null; linkedIn?: string | null | undefined },
): Promise<string | null> {
  const known = await listKnownWorkspaces(db, playerId, tenantId);
  const own = linkedIn ?? known.find(({ isOwn }) => isOwn)?.workspaceId ?? known[0]?.workspaceId ?? null;
  if (known.some(({ workspaceId, isKnowing }) => isKnowing && workspaceId !== own))
    throw proofRequired('Games of several workspaces know this profile.');
  return own;
}
