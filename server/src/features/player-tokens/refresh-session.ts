import { refusalOf, type Database, type Scope } from '../../database/database.ts';
import { isOpaqueToken } from '../../security/opaque-tokens.ts';
import { newRefreshToken, REUSE_GRACE_SECONDS } from '../../security/refresh-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import type { Charge } from '../../shared/charge.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail } from '../audit/index.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { ACCESS_TOKEN_SECONDS, signAccessToken } from './issue-tokens.ts';
import { revokeSessionTokens, rotateToken, findReused } from './queries.ts';

export interface RefreshServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/**
 * Exchanges a refresh token for a new pair. Of several uses of one token exactly one succeeds. A use that comes more than
 * ten seconds after the token was exchanged means that it leaked: it ends the session's refreshing for good, and is audited.
 * Throws invalid_refresh_token for every other token, whatever is wrong with it.
 */
export async function refreshSession(
  { database, vault, signer }: RefreshServices,
  charge: Charge,
  token: string,
) {
  if (!isOpaqueToken('refresh', token)) throw new Problem('invalid_refresh_token');
  const { tenantId } = charge;
  const oldHash = vault.fingerprint(token);
  const next = newRefreshToken(vault, 'refresh');
  const { playerId, sessionId } = await rotateToken(database.forKey(charge), tenantId, oldHash, next).catch(
    async (error: unknown) => {
      if (refusalOf(error) !== 'not_rotated') throw error;
      await noticeReuse(database.forTenant(tenantId), tenantId, oldHash);
      throw new Problem('invalid_refresh_token');
    },
  );
  return {
    accessToken: signAccessToken(signer, { playerId, sessionId, tenantId }),
    refreshToken: next.token,
    tokenType: 'Bearer' as const,
    expiresIn: ACCESS_TOKEN_SECONDS,
    playerId,
    isNewPlayer: false,
    tenantId,
    sessionId,
  };
}

async function noticeReuse(tenant: Scope, tenantId: string, hash: Buffer): Promise<void> {
  const session = await findReused(tenant, tenantId, hash, REUSE_GRACE_SECONDS);
  if (!session) return;
  await tenant.transaction(async (transaction) => {
    if (!(await revokeSessionTokens(transaction, tenantId, session.sessionId))) return;
    await auditTrail(transaction, [
      {
        action: 'refresh_token.reused',
        actor: { kind: 'player', id: session.playerId },
        tenantId,
        targetId: session.sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      },
    ]);
  });
}
