import { newBulkId, newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import { newSalt, type Vault } from '../../../security/vault.ts';
import { loginRowHash, sealLoginData } from '../sessions/index.ts';
import { ledgerNames, type Identity } from './identity.ts';
import type { KnownPlayer, LoginRecord, UnidentifiedLogin } from './queries.ts';
import type { SignInRequest } from './sign-in-request.ts';

export interface LoginServices {
  vault: Vault;
  config: { refreshTokenDays: number };
}

/** A sign-in with a verified identity. */
export interface VerifiedSignIn {
  identity: Identity;
  request: SignInRequest;
}

/** Builds the parts of a login that do not depend on its player. */
export function buildUnidentifiedLogin(
  { vault, config }: LoginServices,
  { identity, request }: VerifiedSignIn,
): UnidentifiedLogin {
  const { billing, ipAddress, deviceInfo, clientInfo } = request;
  const ledgerId = newBulkId();
  const keySalt = newSalt();
  const data = { ipAddress, metadata: clientInfo?.metadata ?? {} };
  return {
    identity,
    sessionId: newBulkId(),
    ledgerId,
    authProvider: ledgerNames[identity.provider],
    platform: clientInfo?.platform ?? 'Unknown',
    clientVersion: clientInfo?.clientVersion ?? null,
    clientBuild: clientInfo?.clientBuild ?? null,
    ipAddress,
    keySalt,
    personalData: sealLoginData(vault, keySalt, { tenantId: billing.tenantId, id: ledgerId }, data),
    refreshToken: newRefreshToken(vault, 'refresh', config.refreshTokenDays),
    device: deviceInfo
      ? {
          fingerprint: deviceInfo.deviceFingerprint,
          hardwareModel: deviceInfo.hardwareModel ?? null,
          osVersion: deviceInfo.osVersion ?? null,
          metadata: deviceInfo.metadata ?? null,
        }
      : null,
  };
}

/** Everything that a login of a known player writes, or without one that of a new player. */
export function buildLoginRecord(
  services: LoginServices,
  signIn: VerifiedSignIn,
  known?: KnownPlayer,
): LoginRecord {
  const at = now();
  const { device, ...login } = buildUnidentifiedLogin(services, signIn);
  const row = {
    ...login,
    tenantId: signIn.request.billing.tenantId,
    playerId: known?.playerId ?? newId(),
    authMethodId: known?.authMethodId ?? newId(),
    isMethodUsedInTenant: known?.isMethodUsedInTenant ?? false,
    device: device && { ...device, id: known?.deviceId ?? newId() },
    at,
  };
  const rowHash = loginRowHash({
    ...row,
    id: row.ledgerId,
    deviceId: row.device?.id ?? null,
    occurredAt: at,
    createdAtGl: at,
  });
  return { ...row, rowHash };
}
