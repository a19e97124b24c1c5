import { refusalOf, type Database, type Querier, type Scope } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { loginRowHash } from '../sessions/index.ts';
import { ACCESS_TOKEN_SECONDS, signAccessToken } from '../tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { banFingerprint } from './ban-fingerprint.ts';
import { hasSecret, ledgerNames, type Identity } from './identity.ts';
import {
  findPlayer,
  insertPlayer,
  writeLogin,
  type KnownPlayer,
  type LoginRecord,
  type LoginRefusal,
} from './queries.ts';

export interface SignInServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/** What a login request says beside the credential. */
export interface SignInRequest {
  /** The sign-in's tenant, and who pays for it. */
  billing: BillingContext;
  ipAddress: string | null;
  /** `login` takes whoever comes, `only-existing` and `only-new` refuse with 404 and 409. */
  mode: 'login' | 'only-existing' | 'only-new';
  profileVisibility?: string | undefined;
  /**
   * What the sign-in must do along with itself, first in its transaction: use a code up, say, or lock a credential and look
   * again. It may refuse the sign-in by throwing, and is called again where another sign-in got in between.
   */
  first?: (transaction: Querier, playerId: string) => Promise<void>;
  deviceInfo?:
    | {
        deviceFingerprint: string;
        hardwareModel?: string;
        osVersion?: string;
        metadata?: Record<string, unknown>;
      }
    | undefined;
  clientInfo?:
    | { platform: string; clientVersion?: string; clientBuild?: string; metadata?: Record<string, unknown> }
    | undefined;
}

/** The login result (spec: resources). */
export interface LoginResult {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  playerId: string;
  isNewPlayer: boolean;
  tenantId: string;
  sessionId: string;
}

/** Concurrent first sign-ins see each other at the second attempt; a third is for a device made at the same time. */
const ATTEMPTS = 5;

/**
 * Signs in whoever a provider has vouched for, making the player where the request allows it: session, ledger row,
 * device, access record and tokens, all or nothing. Throws problems: player_not_found, player_exists, player_banned,
 * device_blocked, invalid_credentials, identity_proof_required.
 */
export async function signIn(
  services: SignInServices,
  identity: Identity,
  request: SignInRequest,
): Promise<LoginResult> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const result = await attemptSignIn(services, identity, request);
    if (result) return result;
  }
  throw new Error(`A sign-in lost ${ATTEMPTS} races in a row.`);
}

/** One attempt; undefined where another sign-in of the same person got in between. */
async function attemptSignIn(
  { database, vault, signer }: SignInServices,
  identity: Identity,
  request: SignInRequest,
): Promise<LoginResult | undefined> {
  const { billing, deviceInfo } = request;
  const { tenantId } = billing;
  const { known, isIdentityBanned } = await findPlayer(database.forTenant(tenantId), tenantId, identity, {
    fingerprint: banFingerprint(vault, tenantId, identity),
    deviceFingerprint: deviceInfo?.deviceFingerprint ?? null,
  });
  if (known) refuseUnlessAllowed(known, identity, request);
  if (isIdentityBanned) throw new ProblemError('player_banned');
  if (!known && request.mode === 'only-existing') throw new ProblemError('player_not_found');

  const at = now();
  const refreshToken = newRefreshToken(vault, 'refresh');
  const login = describeLogin(known, identity, request, at, refreshToken);
  const newPlayer = known
    ? undefined
    : { identity, profileVisibility: request.profileVisibility ?? 'limited' };
  if (!(await write(database.forKey(billing, login.playerId), login, newPlayer, request.first)))
    return undefined;
  return {
    accessToken: signAccessToken(signer, login),
    refreshToken: refreshToken.token,
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
    playerId: login.playerId,
    isNewPlayer: !known,
    tenantId,
    sessionId: login.sessionId,
  };
}

/** Writes the login, and the player before it where they are new. False where somebody else came first. */
async function write(
  tenant: Scope,
  login: LoginRecord,
  newPlayer: { identity: Identity; profileVisibility: string } | undefined,
  first: SignInRequest['first'],
): Promise<boolean> {
  try {
    if (!newPlayer && !first) await writeLogin(tenant, login);
    else
      await tenant.transaction(async (transaction) => {
        await first?.(transaction, login.playerId);
        if (newPlayer) await createPlayer(transaction, login, newPlayer);
        await writeLogin(transaction, login);
      });
    return true;
  } catch (error) {
    if (error instanceof LostRaceError) return false;
    const refusal = refusalOf(error) as LoginRefusal | undefined;
    if (!refusal) throw error;
    if (refusal === 'lost_race') return false;
    throw new ProblemError(refusal);
  }
}

/** Another sign-in has just made the player. */
class LostRaceError extends Error {}

async function createPlayer(
  transaction: Querier,
  login: LoginRecord,
  { identity, profileVisibility }: { identity: Identity; profileVisibility: string },
): Promise<void> {
  if (!(await insertPlayer(transaction, identity, { ...login, profileVisibility })))
    throw new LostRaceError();
}

const FOREIGN_METHOD =
  'This sign-in method was linked in a game of another workspace without a proof of identity, so it signs in to games of that ' +
  'workspace only. Link it again with a proof, or sign in to the player portal with it and remove it there.';

function refuseUnlessAllowed(known: KnownPlayer, identity: Identity, request: SignInRequest): void {
  if (!hasSecret(identity, known.secretHash)) throw new ProblemError('invalid_credentials');
  if (!known.isActive) throw new ProblemError('invalid_credentials');
  if (request.mode === 'only-new') throw new ProblemError('player_exists');
  if (known.isBanned) throw new ProblemError('player_banned');
  if (known.isMethodForeign) throw new ProblemError('identity_proof_required', FOREIGN_METHOD);
  if (known.isDeviceBlocked) throw new ProblemError('device_blocked');
}

function describeLogin(
  known: KnownPlayer | undefined,
  identity: Identity,
  { billing: { tenantId }, ipAddress, deviceInfo, clientInfo }: SignInRequest,
  at: string,
  refreshToken: { hash: Buffer; expiresAt: string },
): LoginRecord {
  const row = {
    tenantId,
    ledgerId: newId(),
    sessionId: newId(),
    playerId: known?.playerId ?? newId(),
    authMethodId: known?.authMethodId ?? newId(),
    isKnownHere: known?.isKnownHere ?? false,
    authProvider: ledgerNames[identity.provider],
    walletAddress: identity.walletAddress ?? null,
    device: deviceInfo
      ? {
          id: known?.deviceId ?? newId(),
          fingerprint: deviceInfo.deviceFingerprint,
          hardwareModel: deviceInfo.hardwareModel ?? null,
          osVersion: deviceInfo.osVersion ?? null,
          metadata: deviceInfo.metadata ?? null,
        }
      : null,
    platform: clientInfo?.platform ?? 'Unknown',
    clientVersion: clientInfo?.clientVersion ?? null,
    clientBuild: clientInfo?.clientBuild ?? null,
    ipAddress,
    metadata: clientInfo?.metadata ?? {},
    at,
  };
  return {
    ...row,
    rowHash: loginRowHash({
      ...row,
      id: row.ledgerId,
      deviceId: row.device?.id ?? null,
      occurredAt: at,
      createdAtGl: at,
    }),
    refreshTokenHash: refreshToken.hash,
    refreshExpiresAt: refreshToken.expiresAt,
  };
}
