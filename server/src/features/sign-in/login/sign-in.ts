import type { Database, Scope } from '../../../database/database.ts';
import { refusalOf } from '../../../database/errors.ts';
import { ProblemError } from '../../../core/problem.ts';
import { playerTokens, type PlayerTokens } from '../tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { banFingerprint, playerBanned } from './bans.ts';
import { hasSecret, type Identity } from './identity.ts';
import { signedInBy, type LoginBatchers } from './login-batchers.ts';
import { buildLoginRecord, type LoginServices } from './login-record.ts';
import type { SignInRequest } from './sign-in-request.ts';
import {
  findPlayer,
  writeLogin,
  type FoundPlayer,
  type KnownPlayer,
  type LoginRecord,
  type LoginRefusal,
} from './queries.ts';

export interface SignInServices extends LoginServices {
  database: Database;
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
      const result = await attemptSignIn(services, identity, request);
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
  identity: Identity,
  request: SignInRequest,
): Promise<PlayerTokens | undefined> {
  const { database, signer, logins } = services;
  const { billing } = request;
  const { tenantId } = billing;
  const outcome = isBatched(request)
    ? await logins.signInKnown({ identity, request })
    : { found: await findAlone(services, identity, request) };
  if ('signedIn' in outcome)
    return playerTokens(signer, { ...outcome.signedIn, tenantId, isNewPlayer: false });

  const { known, isIdentityBanned } = outcome.found;
  if (known) refuseUnlessAllowed(known, identity);
  if (isIdentityBanned) throw new ProblemError('player_banned');
  if (known && request.mode === 'only-new') throw new ProblemError('player_exists');
  if (!known) {
    if (request.mode === 'only-existing') throw new ProblemError('player_not_found');
    const created = await logins.create({ identity, request });
    return created && playerTokens(signer, { ...created, tenantId, isNewPlayer: true });
  }

  const login = buildLoginRecord(services, { identity, request }, known);
  const isWritten = await logins.writeAlone(login.playerId, () =>
    write(database.forKey(billing, login.playerId), login, request.inTransaction),
  );
  return isWritten ? playerTokens(signer, { ...signedInBy(login), tenantId, isNewPlayer: false }) : undefined;
}

/** Whether a sign-in of an existing player may share its transaction with others. */
function isBatched({ mode, inTransaction }: SignInRequest): boolean {
  return mode !== 'only-new' && !inTransaction;
}

function findAlone(
  { database, vault }: SignInServices,
  identity: Identity,
  { billing: { tenantId }, deviceInfo }: SignInRequest,
): Promise<FoundPlayer> {
  return findPlayer(database.forTenant(tenantId), tenantId, identity, {
    fingerprint: banFingerprint(vault, tenantId, identity),
    deviceFingerprint: deviceInfo?.deviceFingerprint ?? null,
  });
}

/** Writes the login of a known player. Returns false after a conflict with a concurrent sign-in. */
async function write(
  tenant: Scope,
  login: LoginRecord,
  inTransaction: SignInRequest['inTransaction'],
): Promise<boolean> {
  try {
    if (inTransaction)
      await tenant.transaction(async (transaction) => {
        await inTransaction(transaction, login.playerId);
        await writeLogin(transaction, login);
      });
    else await writeLogin(tenant, login);
    return true;
  } catch (error) {
    const refusal = refusalOf(error) as LoginRefusal | undefined;
    if (!refusal) throw error;
    if (refusal === 'lost_race') return false;
    throw new ProblemError(refusal);
  }
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
