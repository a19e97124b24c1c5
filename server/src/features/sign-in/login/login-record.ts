import { newBulkId, newId } from '../../../core/ids.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import { newSalt, type Vault } from '../../../security/vault.ts';
import { loginRowHash, sealLoginData } from '../sessions/index.ts';
import { ledgerNames, type Identity } from './identity.ts';
import type { KnownPlayer, LoginRecord } from './queries.ts';
import type { SignInRequest } from './sign-in-request.ts';

/** Builds the parts of a login that do not depend on its player. */
export function buildLoginDetails(
  vault: Vault,
  { provider }: Identity,
  { billing: { tenantId }, ipAddress, deviceInfo, clientInfo }: SignInRequest,
) {
  const ledgerId = newBulkId();
  const keySalt = newSalt();
  const data = { ipAddress, metadata: clientInfo?.metadata ?? {} };
  return {
    sessionId: newBulkId(),
    ledgerId,
    authProvider: ledgerNames[provider],
    platform: clientInfo?.platform ?? 'Unknown',
    clientVersion: clientInfo?.clientVersion ?? null,
    clientBuild: clientInfo?.clientBuild ?? null,
    ipAddress,
    keySalt,
    personalData: sealLoginData(vault, keySalt, { tenantId, id: ledgerId }, data),
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

/** Everything that a login of a known or a new player writes. */
export function buildLoginRecord(
  vault: Vault,
  known: KnownPlayer | undefined,
  identity: Identity,
  request: SignInRequest,
  at: string,
  refreshToken: StoredRefreshToken,
): LoginRecord {
  const { device, ...details } = buildLoginDetails(vault, identity, request);
  const row = {
    ...details,
    tenantId: request.billing.tenantId,
    playerId: known?.playerId ?? newId(),
    authMethodId: known?.authMethodId ?? newId(),
    isMethodUsedInTenant: known?.isMethodUsedInTenant ?? false,
    walletAddress: identity.walletAddress ?? null,
    device: device && { ...device, id: known?.deviceId ?? newId() },
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
