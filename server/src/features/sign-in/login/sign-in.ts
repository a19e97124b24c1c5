import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { playerTokens, type PlayerTokens } from '../tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { banFingerprint, playerBanned } from './bans.ts';
import { hasSecret, type Identity } from './identity.ts';
import type { LoginBatchers } from './login-batchers.ts';
import type { VerifiedSignIn } from './login-record.ts';
import type { SignInRequest } from './sign-in-request.ts';
import { findPlayer, type FoundPlayer, type KnownPlayer } from './queries.ts';

export interface SignInServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
  logins: LoginBatchers;
}

/**
 * After concurrent first sign-ins, the second attempt finds the player. A concurrently registered device needs a third attempt. If
 * others win all of them, the client may try again.
 */
const ATTEMPTS = 5;

/**
 * Signs a verified identity in, and creates the player if the request allows it. Writes the session, ledger row, device, access record
 * and tokens atomically. Throws player_not_found, player_exists, player_banned, device_blocked, invalid_credentials and
 * identity_proof_required. Throws busy if each attempt conflicted with another sign-in.
 */
export async function signIn(
  services: SignInServices,
  identity: Identity,
  request: SignInRequest,
): Promise<PlayerTokens> {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = await attemptSignIn(services, { identity, request });
      if (result) return result;
    }
  } catch (error) {
    // Only a refusal reads the ban, so that successful sign-ins pay nothing for it.
    if (!(error instanceof ProblemError) || error.code !== 'player_banned') throw error;
    const { tenantId } = request.billing;
    throw await playerBanned(services.database.forTenant(tenantId), services.vault, tenantId, identity);
  }
  throw new ProblemError('busy', { retryAfter: 1 });
}

/** Returns undefined after a conflict with a concurrent sign-in of the same player. */
async function attemptSignIn(
  services: SignInServices,
  verified: VerifiedSignIn,
): Promise<PlayerTokens | undefined> {
  const { signer, logins } = services;
  const { identity, request } = verified;
  const { tenantId } = request.billing;
  const outcome = isBatched(request)
    ? await logins.signInKnown(verified)
    : { found: await findAlone(services, verified) };
  if ('signedIn' in outcome)
    return playerTokens(signer, { ...outcome.signedIn, tenantId, isNewPlayer: false });

  const { known, isIdentityBanned } = outcome.found;
  if (known) refuseUnlessAllowed(known, identity);
  if (isIdentityBanned) throw new ProblemError('player_banned');
  if (known && request.mode === 'only-new') throw new ProblemError('player_exists');
  if (!known && request.mode === 'only-existing') throw new ProblemError('player_not_found');
  const signedIn = await (known ? logins.signInAlone(verified, known) : logins.create(verified));
  return signedIn && playerTokens(signer, { ...signedIn, tenantId, isNewPlayer: !known });
}

/** Whether a sign-in of an existing player may share its transaction with others. */
function isBatched({ mode, inTransaction }: SignInRequest): boolean {
  return mode !== 'only-new' && !inTransaction;
}

function findAlone(
  { database, vault }: SignInServices,
  { identity, request }: VerifiedSignIn,
): Promise<FoundPlayer> {
  const { tenantId } = request.billing;
  return findPlayer(database.forTenant(tenantId), tenantId, identity, {
    fingerprint: banFingerprint(vault, tenantId, identity),
    deviceFingerprint: request.deviceInfo?.deviceFingerprint ?? null,
  });
}

const FOREIGN_METHOD_DETAIL =
  'This sign-in method was linked in a game of another workspace without a proof of identity, so it signs in to games of that ' +
  'workspace only. Link it again with a proof, or sign in to the player portal with it and remove it there.';

const MOCK_PASSWORD_DETAIL =
  'The password of this Mock player is wrong. The first sign-in of a Mock name sets its password.';

function refuseUnlessAllowed(known: KnownPlayer, identity: Identity): void {
  if (!hasSecret(identity, known.secretHash))
    throw new ProblemError('invalid_credentials', identity.provider === 'Mock' ? MOCK_PASSWORD_DETAIL : {});
  if (!known.isActive) throw new ProblemError('invalid_credentials');
  if (known.isBanned) throw new ProblemError('player_banned');
  if (known.isMethodForeign) throw new ProblemError('identity_proof_required', FOREIGN_METHOD_DETAIL);
  if (known.isDeviceBlocked) throw new ProblemError('device_blocked');
}
